import { useEffect, useMemo, useState } from "react";
import { createPortal } from "react-dom";
import { live } from "../api/stream";
import type { DiffFile, SessionView } from "../api/types";
import { Icon } from "../parts/icons";
import { useLayout } from "../parts/layout";
import { Loading, Problem } from "../parts/problem";
import { Shown, Stat } from "../parts/text";
import { setQuery, where } from "../state/router";
import { useStore } from "../state/store";
import { clock } from "../state/time";
import { FileView } from "./file";
import { DiffModel } from "./state";
import { FileTree } from "./tree-view";

/** The diff of a session against its base: files on the left, one of them on the right. */
export function DiffPane({ session }: { session: SessionView }) {
  const model = useMemo(() => new DiffModel(session.id), [session.id]);
  const { reply, problem, reading } = useStore(model.state);
  const wanted = useStore(where, (w) => w.file);
  const offline = useStore(live, (l) => l.state === "offline");
  const phone = useLayout() === "phone";
  // Where the marked change is put: at the end of a file that p came to from the next one.
  const [from, setFrom] = useState<"start" | "end">("start");

  useEffect(() => {
    void model.refresh();
    const again = () => {
      if (!document.hidden) void model.refresh();
    };
    addEventListener("focus", again);
    document.addEventListener("visibilitychange", again);
    return () => {
      removeEventListener("focus", again);
      document.removeEventListener("visibilitychange", again);
    };
  }, [model]);

  if (!reply)
    return problem ? (
      <div className="blank">
        <Problem problem={problem}>
          <button type="button" className="btn" onClick={() => void model.refresh()}>
            Try again
          </button>
        </Problem>
      </div>
    ) : (
      <Loading what="Reading the diff" />
    );

  const open = reply.files.find((f) => f.path === wanted) ?? (phone ? null : (reply.files[0] ?? null));
  const chips = document.getElementById("chips");
  const about = (
    <>
      <span className="chip">
        against{" "}
        <span className="mono mid">
          <Shown text={reply.base.name} />
        </span>
        {offline || problem ? ` as of ${clock(reply.read_at)}` : ` at ${clock(reply.read_at)}`}
      </span>
      <button
        type="button"
        className="btn bare low"
        disabled={reading || offline}
        onClick={() => void model.refresh()}
      >
        {reading ? "Reading" : "Refresh"}
      </button>
    </>
  );
  return (
    <>
      {chips && !phone ? createPortal(about, chips) : <div className="pstat num">{about}</div>}
      {reply.files.length === 0 ? (
        <div className="blank mid-page">
          <h2>
            No changes against{" "}
            <span className="mono">
              <Shown text={reply.base.name} />
            </span>
          </h2>
          <p className="mid">Files that git does not know are looked at too.</p>
        </div>
      ) : (
        <div className="diffgrid">
          {(!phone || !open) && (
            <FileTree
              files={reply.files}
              open={open?.path ?? null}
              onOpen={(path) => {
                setFrom("start");
                setQuery("file", path);
              }}
            />
          )}
          {open && (
            <FileSection
              model={model}
              files={reply.files}
              file={open}
              truncated={reply.truncated}
              phone={phone}
              from={from}
              onFrom={setFrom}
            />
          )}
        </div>
      )}
    </>
  );
}

function FileSection({
  model,
  files,
  file,
  truncated,
  phone,
  from,
  onFrom,
}: {
  model: DiffModel;
  files: DiffFile[];
  file: DiffFile;
  truncated: boolean;
  phone: boolean;
  from: "start" | "end";
  onFrom(from: "start" | "end"): void;
}) {
  const at = files.indexOf(file);
  const step = (by: 1 | -1) => {
    const next = files[at + by];
    if (!next) return false;
    onFrom(by > 0 ? "start" : "end");
    setQuery("file", next.path);
    return true;
  };
  return (
    <section aria-label={file.path}>
      <div className="fhead">
        {phone && (
          <button
            type="button"
            className="ptap"
            aria-label="All files"
            onClick={() => setQuery("file", null)}
          >
            <Icon name="back" />
          </button>
        )}
        <h2 className="cut" title={file.path}>
          {file.old_path !== null && file.old_path !== file.path && (
            <span className="dim">
              <Shown text={file.old_path} />
              {" → "}
            </span>
          )}
          <Shown text={file.path} />
        </h2>
        <Stat additions={file.additions ?? 0} deletions={file.deletions ?? 0} />
        {file.old_mode !== null && file.new_mode !== null && file.old_mode !== file.new_mode && (
          <span className="tag mono">
            {file.old_mode} → {file.new_mode}
          </span>
        )}
        {file.status === "untracked" && <span className="tag">untracked</span>}
        {file.status === "conflicted" && <span className="tag warn">conflict</span>}
      </div>
      <FileView key={file.path} model={model} file={file} from={from} onLeave={step} />
      {truncated && (
        <div className="foot">The list of files was cut: there are more changes than are shown.</div>
      )}
    </section>
  );
}
