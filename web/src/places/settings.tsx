import { dropToken } from "../api/token";
import { type Prefs, prefs } from "../state/prefs";
import { patch, useStore } from "../state/store";
import { dialog } from "../state/ui";

/** What this device prefers. */
export function SettingsPlace() {
  const p = useStore(prefs);
  const set = (fields: Partial<Prefs>) => patch(prefs, fields);
  return (
    <main className="page" id="main" tabIndex={-1}>
      <header>
        <h1>Settings</h1>
        <span className="dim">of this device</span>
      </header>
      <div className="settings">
        <span id="s-theme">Theme</span>
        <Choice
          name="theme"
          labelledBy="s-theme"
          value={p.theme}
          options={[
            ["system", "As the system"],
            ["dark", "Dark"],
            ["light", "Light"],
          ]}
          onChange={(theme) => set({ theme })}
        />
        <label htmlFor="s-size">Terminal font</label>
        <div>
          <span className="field" style={{ width: 90 }}>
            <input
              id="s-size"
              type="number"
              min={9}
              max={24}
              value={p.fontSize}
              onChange={(event) => {
                const size = Number(event.target.value);
                if (size >= 9 && size <= 24) set({ fontSize: size });
              }}
            />
            <span className="dim">px</span>
          </span>
        </div>
        <span id="s-contrast">Terminal contrast</span>
        <div>
          <Choice
            name="contrast"
            labelledBy="s-contrast"
            value={p.contrast ? "least" : "own"}
            options={[
              ["own", "The program's colours"],
              ["least", "At least 4.5"],
            ]}
            onChange={(value) => set({ contrast: value === "least" })}
          />
        </div>
        <span id="s-renderer">Terminal drawing</span>
        <div>
          <Choice
            name="renderer"
            labelledBy="s-renderer"
            value={p.renderer}
            options={[
              ["auto", "Graphics card"],
              ["dom", "Plain"],
            ]}
            onChange={(renderer) => set({ renderer })}
          />
          <p className="dim small">
            Plain is slower, and right where the graphics card draws badly. It holds for the next terminal.
          </p>
        </div>
        <span id="s-letters">Keys of one letter</span>
        <div>
          <Choice
            name="letters"
            labelledBy="s-letters"
            value={p.letterKeys ? "on" : "off"}
            options={[
              ["on", "On"],
              ["off", "Off"],
            ]}
            onChange={(value) => set({ letterKeys: value === "on" })}
          />
          <p className="dim small">
            They act only outside text fields and the terminal.{" "}
            <button type="button" className="link" onClick={() => dialog.set("keys")}>
              All keys
            </button>
          </p>
        </div>
        <span>Access</span>
        <div>
          <button type="button" className="btn" onClick={() => dropToken("missing")}>
            Log out here
          </button>
          <p className="dim small">
            To come back, run <code className="mono">qd</code> for a new login link.
          </p>
        </div>
      </div>
    </main>
  );
}

function Choice<T extends string>({
  name,
  labelledBy,
  value,
  options,
  onChange,
}: {
  name: string;
  labelledBy: string;
  value: T;
  options: [T, string][];
  onChange(value: T): void;
}) {
  return (
    <div className="seg" role="radiogroup" aria-labelledby={labelledBy}>
      {options.map(([option, words]) => (
        <label key={option}>
          <input type="radio" name={name} checked={value === option} onChange={() => onChange(option)} />
          {words}
        </label>
      ))}
    </div>
  );
}
