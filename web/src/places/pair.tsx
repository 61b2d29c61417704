import { useState } from "react";
import { pair } from "../api/calls";
import { asProblem } from "../api/client";
import type { Pairing, PairLink, ProblemBody } from "../api/types";
import { Copy } from "../parts/copy";
import { Dialog } from "../parts/dialog";
import { Problem } from "../parts/problem";

/** Light around a code, in modules: scanners need it. */
const MARGIN = 4;

/** The dark of a code as one path, a run of modules at a time. */
export function darkPath(qr: string[]): string {
  return qr
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map(
        (run) => `M${run.index + MARGIN} ${y + MARGIN}h${run[0].length}v1h-${run[0].length}z`,
      ),
    )
    .join("");
}

/** A button, and the login link of another device behind it as a code for its camera. */
export function Pair() {
  const [pairing, setPairing] = useState<Pairing | null>(null);
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  const begin = () => {
    setProblem(null);
    pair().then(setPairing, (error: unknown) => setProblem(asProblem(error)));
  };
  return (
    <>
      <button type="button" className="btn" onClick={begin}>
        Pair a phone
      </button>
      {problem && <Problem problem={problem} />}
      {pairing && (
        <Dialog title="Pair a phone" slim onClose={() => setPairing(null)}>
          <Links pairing={pairing} />
        </Dialog>
      )}
    </>
  );
}

function Links({ pairing }: { pairing: Pairing }) {
  const [chosen, setChosen] = useState(0);
  const link = pairing.links[chosen];
  if (!link) return null;
  const authority = pairing.tls?.ca_sha256 && link.address.startsWith("https://");
  return (
    <div className="pair">
      <Code link={link} />
      <p>Scan it with the camera of the phone. It is good for ten minutes, once.</p>
      {pairing.links.length > 1 && (
        <label>
          Address
          <select value={chosen} onChange={(event) => setChosen(Number(event.target.value))}>
            {pairing.links.map((other, index) => (
              <option key={other.address} value={index}>
                {other.address}
              </option>
            ))}
          </select>
        </label>
      )}
      <Copy text={link.link} label="Copy the link" />
      {authority && (
        <details>
          <summary>Before the first time: trust the daemon's certificate</summary>
          <ol>
            <li>
              On the phone, open <code className="mono">{link.address}/api/v1/ca.pem</code> and go on past the
              warning.
            </li>
            <li>
              iPhone: Settings, Profile Downloaded, Install; then General, About, Certificate Trust Settings.
            </li>
            <li>Android: Settings, Security, Install a certificate, CA certificate.</li>
            <li>
              Its SHA-256 is to be <code className="mono">{pairing.tls?.ca_sha256}</code>
            </li>
          </ol>
        </details>
      )}
    </div>
  );
}

/** Dark on light in every theme: not every scanner reads the inverse. */
function Code({ link }: { link: PairLink }) {
  const size = link.qr.length + 2 * MARGIN;
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={`QR code of a login link to ${link.address}`}
    >
      <path className="light" d={`M0 0h${size}v${size}h-${size}z`} />
      <path className="dark" d={darkPath(link.qr)} />
    </svg>
  );
}
