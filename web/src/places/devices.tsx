import { useEffect, useState } from "react";
import { listDevices, revokeDevice } from "../api/calls";
import { asProblem } from "../api/client";
import { dropToken } from "../api/token";
import type { Device, ProblemBody } from "../api/types";
import { Problem } from "../parts/problem";
import { Shown } from "../parts/text";
import { clock } from "../state/time";
import { Pair } from "./pair";

/** Ends the login of this browser: its token is given back, then forgotten. */
export async function logOut() {
  const here = (await listDevices()).find((device) => device.current);
  if (here) await revokeDevice(here.id);
  dropToken();
}

/** Who may log in, and how to end that. */
export function Devices() {
  const [devices, setDevices] = useState<Device[]>([]);
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const run = (action: () => Promise<unknown>) => {
    setProblem(null);
    action().catch((error: unknown) => setProblem(asProblem(error)));
  };
  const read = async () => setDevices(await listDevices());
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => run(read), []);
  const revoke = async (id: string) => {
    await revokeDevice(id);
    await read();
  };
  return (
    <div>
      <ul className="devices" aria-labelledby="s-devices">
        {devices.map((device) => (
          <li key={device.id}>
            <span>
              <Shown text={device.name} />
              <span className="dim small">
                {device.current ? "This browser, since " : "Since "}
                {clock(device.created_at)}
                {device.last_seen !== null && !device.current && `, last seen ${clock(device.last_seen)}`}
              </span>
            </span>
            {!device.current && (
              <button
                type="button"
                className="btn"
                aria-label={`Revoke ${device.name}`}
                onClick={() => run(() => revoke(device.id))}
              >
                Revoke
              </button>
            )}
          </li>
        ))}
      </ul>
      {problem && (
        <Problem problem={problem}>
          <button type="button" className="btn" onClick={() => dropToken()}>
            Only forget the login here
          </button>
        </Problem>
      )}
      <div className="acts">
        <Pair />
        <button type="button" className="btn" onClick={() => run(logOut)}>
          Log out here
        </button>
      </div>
      <p className="dim small">
        To come back, run <code className="mono">qd</code> for a new login link.
      </p>
    </div>
  );
}
