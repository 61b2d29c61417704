import { Icon } from "../parts/icons";
import { FONT, type Prefs, prefs } from "../state/prefs";
import { patch, useStore } from "../state/store";
import { dialog } from "../state/ui";
import { Config } from "./config";
import { Devices } from "./devices";
import { KeyChoices } from "./keys";

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
            ["contrast", "High contrast"],
          ]}
          onChange={(theme) => set({ theme })}
        />
        <span id="s-size">Terminal font</span>
        <fieldset className="stepper" aria-labelledby="s-size">
          <button
            type="button"
            className="btn icon"
            aria-label="Smaller"
            disabled={p.fontSize <= FONT.least}
            onClick={() => set({ fontSize: p.fontSize - 1 })}
          >
            <Icon name="minus" />
          </button>
          <output className="num">{p.fontSize} px</output>
          <button
            type="button"
            className="btn icon"
            aria-label="Larger"
            disabled={p.fontSize >= FONT.most}
            onClick={() => set({ fontSize: p.fontSize + 1 })}
          >
            <Icon name="plus" />
          </button>
        </fieldset>
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
        <span id="s-reader">Screen reader</span>
        <div>
          <Choice
            name="reader"
            labelledBy="s-reader"
            value={p.reader ? "on" : "off"}
            options={[
              ["off", "Off"],
              ["on", "On"],
            ]}
            onChange={(value) => set({ reader: value === "on" })}
          />
          <p className="dim small">
            On: what the terminal shows is there as text, and new output is read out.
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
        <span id="s-devices">Access</span>
        <Devices />
        <span id="s-daemon">The daemon</span>
        <Config />
      </div>
      <KeyChoices />
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
