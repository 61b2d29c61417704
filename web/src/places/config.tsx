import { useEffect, useState } from "react";
import { getConfig } from "../api/calls";
import { asProblem } from "../api/client";
import type { ConfigValue, ProblemBody } from "../api/types";
import { Copy } from "../parts/copy";
import { Problem } from "../parts/problem";
import { Shown } from "../parts/text";

const SOURCES: Record<string, string> = {
  flag: "from the command line",
  environment: "from the environment",
  file: "from config.toml",
  default: "default",
};

/** Values by their group, in the order in which they came. */
export function grouped(values: ConfigValue[]): [string, ConfigValue[]][] {
  const groups = new Map<string, ConfigValue[]>();
  for (const value of values) groups.set(value.group, [...(groups.get(value.group) ?? []), value]);
  return [...groups];
}

/** What is in force in the daemon, where each value came from, and what changes it. */
export function Config() {
  const [values, setValues] = useState<ConfigValue[]>([]);
  const [problem, setProblem] = useState<ProblemBody | null>(null);
  useEffect(() => {
    getConfig().then(setValues, (error: unknown) => setProblem(asProblem(error)));
  }, []);
  if (problem) return <Problem problem={problem} />;
  return (
    <div className="config">
      {grouped(values).map(([group, members]) => (
        <section key={group} aria-label={group}>
          <h2>{group}</h2>
          <ul>
            {members.map((value) => (
              <li key={value.name}>
                <code className="mono">{value.name}</code>
                <span>
                  <span className="value">
                    {value.value === null ? "not set" : <Shown text={value.value} />}
                  </span>{" "}
                  <span className="dim small">{SOURCES[value.source] ?? value.source}</span>
                </span>
                <span className="dim small">{value.about}</span>
                <span className="change small">
                  <code className="mono">{value.change}</code>
                  <Copy icon text={value.change} label={`Copy what changes ${value.name}`} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
