import type { ReactNode } from "react";
import { Icon, type IconName } from "../parts/icons";

/** A band between the tabs and what it concerns. It takes its own room and covers nothing. */
export function Banner({
  tone = "warn",
  icon,
  loud,
  children,
  acts,
}: {
  tone?: "warn" | "info" | "bad" | "plain";
  icon: IconName;
  /** Said at once to people who listen. */
  loud?: boolean;
  children: ReactNode;
  acts?: ReactNode;
}) {
  return (
    <div className={`banner ${tone === "warn" ? "" : tone}`} role={loud ? "alert" : "status"}>
      <Icon name={icon} />
      <span>{children}</span>
      {acts && <span className="acts">{acts}</span>}
    </div>
  );
}
