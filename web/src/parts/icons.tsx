import type { ReactNode } from "react";

/** Line icons, drawn on 16 by 16 with one pen. */
const PATHS = {
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  plus: (
    <>
      <path d="M8 3v10M3 8h10" />
    </>
  ),
  down: (
    <>
      <path d="m4 6.5 4 4 4-4" />
    </>
  ),
  fwd: (
    <>
      <path d="m6.5 4 4 4-4 4" />
    </>
  ),
  back: (
    <>
      <path d="m9.5 4-4 4 4 4" />
    </>
  ),
  up: (
    <>
      <path d="m4 9.5 4-4 4 4" />
    </>
  ),
  x: (
    <>
      <path d="m4 4 8 8m0-8-8 8" />
    </>
  ),
  check: (
    <>
      <path d="m3 8.5 3.2 3.2L13 4.8" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1" />
    </>
  ),
  branch: (
    <>
      <circle cx="4.5" cy="3.8" r="1.6" />
      <circle cx="4.5" cy="12.2" r="1.6" />
      <circle cx="11.5" cy="5" r="1.6" />
      <path d="M4.5 5.4v5.2m7-4c0 2.4-4 1.6-6.3 3.8" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M8 4.8V8l2.3 1.6" />
    </>
  ),
  trash: (
    <>
      <path d="M2.8 4.5h10.4M6 4.3V2.7h4v1.6m-5.7.4.6 8.6h6.2l.6-8.6" />
    </>
  ),
  file: (
    <>
      <path d="M4 2h5l3.2 3.2V14H4Zm5 0v3.4h3.2" />
    </>
  ),
  warn: (
    <>
      <path d="M8 2.2 14.4 13.4H1.6Zm0 4.3v3.3m0 1.5v.6" />
    </>
  ),
  lock: (
    <>
      <rect x="3.5" y="7" width="9" height="6.5" rx="1.2" />
      <path d="M5.5 7V5.2a2.5 2.5 0 0 1 5 0V7" />
    </>
  ),
  size: (
    <>
      <path d="M2.5 6V2.5H6m7.5 7.5v3.5H10M2.5 2.5l4 4m7 7-4-4" />
    </>
  ),
  more: (
    <>
      <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />
    </>
  ),
  keyb: (
    <>
      <rect x="1.5" y="4" width="13" height="8.5" rx="1.4" />
      <path d="M4.5 7h.01M7 7h.01M9.5 7h.01M11.8 7h.01M5 9.8h6" />
    </>
  ),
  list: (
    <>
      <path d="M2.5 4h11m-11 4h11m-11 4h7" />
    </>
  ),
  term: (
    <>
      <rect x="1.8" y="2.8" width="12.4" height="10.4" rx="1.4" />
      <path d="m4.5 6 2 2-2 2m4 0h3" />
    </>
  ),
  split: (
    <>
      <rect x="1.8" y="2.8" width="12.4" height="10.4" rx="1.4" />
      <path d="M8 2.8v10.4" />
    </>
  ),
  eye: (
    <>
      <path d="M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8Z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  minus: (
    <>
      <path d="M3.5 8h9" />
    </>
  ),
  pulse: (
    <>
      <path d="M1.5 8.5h3l1.7-4.5 3 8 1.8-3.5h3.5" />
    </>
  ),
  left: (
    <>
      <path d="M13 8H3m4-4L3 8l4 4" />
    </>
  ),
  rightk: (
    <>
      <path d="M3 8h10M9 4l4 4-4 4" />
    </>
  ),
  upk: (
    <>
      <path d="M8 13V3M4 7l4-4 4 4" />
    </>
  ),
  downk: (
    <>
      <path d="M8 3v10m-4-4 4 4 4-4" />
    </>
  ),
  send: (
    <>
      <path d="M8 13V3.5M4 7.3l4-4 4 4" />
    </>
  ),
  gear: (
    <>
      <circle cx="8" cy="8" r="2.2" />
      <path d="M8 1.8v1.9m0 8.6v1.9M1.8 8h1.9m8.6 0h1.9M3.6 3.6 5 5m6 6 1.4 1.4m0-8.8L11 5m-6 6-1.4 1.4" />
    </>
  ),
  pause: (
    <>
      <path d="M5.5 3.5v9m5-9v9" />
    </>
  ),
  moon: (
    <>
      <path d="M6.2 2.6a5.6 5.6 0 1 0 7.2 7.2 4.9 4.9 0 0 1-7.2-7.2Z" />
    </>
  ),
  pin: (
    <>
      <path d="M5.5 2.5h5l-.6 4.2 2 2.3H4.1l2-2.3ZM8 9v4.5" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

/** Never the only bearer of a meaning: what it stands beside, or its button's name, says it in words. */
export function Icon({ name, size = "" }: { name: IconName; size?: "" | "s" | "xs" }) {
  return (
    <svg className={`i ${size}`} viewBox="0 0 16 16" aria-hidden="true">
      <g fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round">
        {PATHS[name]}
      </g>
    </svg>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <path d="M2.5 13.25h15" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
      <path d="M5 16.75h10" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" opacity=".5" />
      <path
        d="M4.25 10.5a5.75 5.75 0 0 1 11.5 0"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
      />
      <path d="M10 10.2 12.9 6.6" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
    </svg>
  );
}
