import { useEffect, useState } from "react";
import type { ProblemBody } from "../api/types";
import { Dialog } from "../parts/dialog";
import { number } from "../parts/number";
import { sessions } from "../state/sessions";
import { useStore } from "../state/store";
import { dialog } from "../state/ui";
import { batch, changeFailed, stageOf, tryAgain } from "./batch";
import { Form } from "./form";
import { goAndType } from "./made";
import { Progress } from "./progress";

/** Asks what is to be made; then tells of several sessions how far each is. */
export function CreateDialog() {
  const asked = useStore(batch);
  const [stay, setStay] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const close = () => {
    dialog.set(null);
    forgetRunning();
  };
  // What ran meanwhile needs no more telling.
  useEffect(forgetRunning, []);
  const onAllMade = () => {
    const all = batch.get() ?? [];
    const first = all[0]?.id;
    batch.set(null);
    if (stay) setMade(number(all.length, "session"));
    else if (first) goAndType(first, () => dialog.set(null));
  };
  return (
    <Dialog title={asked ? `Creating ${number(asked.length, "session")}` : "New session"} onClose={close}>
      {asked ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: one key works wherever the focus is
        <div
          style={{ display: "contents" }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            if (document.getElementById("try-again")) void tryAgain();
          }}
        >
          <Progress
            all={asked}
            onMade={onAllMade}
            onChange={() => setProblem(changeFailed())}
            onClose={close}
          />
        </div>
      ) : (
        <Form
          was={problem}
          made={made}
          onMade={setMade}
          onSeveral={(again) => {
            setProblem(null);
            setStay(again);
          }}
          onClose={close}
        />
      )}
    </Dialog>
  );
}

/** Sessions that were asked for and do not fail are told of in the list. */
function forgetRunning() {
  const { byId } = sessions.get();
  const open = batch.get()?.some((one) => ["waits", "failed"].includes(stageOf(one, byId).at));
  if (open === false) batch.set(null);
}
