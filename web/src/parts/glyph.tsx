import type { ReactNode } from "react";
import type { Shown } from "../state/groups";

// Shape first, colour second: solid needs you, an outline does not.
const SHAPES: Record<Shown, ReactNode> = {
  permission: (
    <>
      <path
        fill="currentColor"
        fillRule="evenodd"
        d="M8 .6 15.4 8 8 15.4.6 8ZM7.1 4.2v4.6h1.8V4.2Zm0 5.9v1.8h1.8v-1.8Z"
      />
    </>
  ),
  question: (
    <>
      <path
        fill="currentColor"
        d="M3 1.5h10A1.8 1.8 0 0 1 14.8 3.3v7a1.8 1.8 0 0 1-1.8 1.8H8.4L4.6 15.2v-3.1H3a1.8 1.8 0 0 1-1.8-1.8v-7A1.8 1.8 0 0 1 3 1.5Z"
      />
      <path
        d="M6.1 5.3c.1-1 .9-1.6 1.9-1.6s1.9.6 1.9 1.5c0 1.2-1.8 1.3-1.9 2.5"
        fill="none"
        stroke="var(--cut)"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
      <circle cx="8" cy="9.7" r=".95" fill="var(--cut)" />
    </>
  ),
  error: (
    <>
      <path fill="currentColor" d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1Z" />
      <path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8" stroke="var(--cut)" strokeWidth="1.7" strokeLinecap="round" />
    </>
  ),
  working: (
    <>
      <path
        fill="currentColor"
        d="M4 2.9c0-.8.9-1.2 1.5-.8l7.2 5.1c.5.4.5 1.2 0 1.6l-7.2 5.1c-.6.4-1.5 0-1.5-.8Z"
      />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <path
        d="m5.2 8.2 2 2 3.7-4.2"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  idle: (
    <>
      <circle cx="8" cy="8" r="4.6" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
  unknown: (
    <>
      <circle
        cx="8"
        cy="8"
        r="5.6"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeDasharray="2.2 2.2"
      />
      <circle cx="8" cy="8" r="1.3" fill="currentColor" />
    </>
  ),
  paused: (
    <>
      <path d="M5.5 3.5v9m5-9v9" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
    </>
  ),
  hibernated: (
    <>
      <path
        d="M12.9 9.9A5.5 5.5 0 0 1 6.1 3.1a5.5 5.5 0 1 0 6.8 6.8Z"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    </>
  ),
  exited: (
    <>
      <rect
        x="3.2"
        y="3.2"
        width="9.6"
        height="9.6"
        rx="1"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
      />
    </>
  ),
  failed: (
    <>
      <path
        d="M5.3 1.7h5.4l3.6 3.6v5.4l-3.6 3.6H5.3l-3.6-3.6V5.3Zm.6 4.2 4.2 4.2m0-4.2-4.2 4.2"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
    </>
  ),
  trashed: (
    <>
      <path
        d="M2.8 4.2h10.4M6 4V2.6h4V4M4.2 4.4l.6 9h6.4l.6-9M8 7v4"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  creating: (
    <>
      <path d="M8 2.5v11m-5.5-5.5h11" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
    </>
  ),
};

export function Glyph({ state }: { state: Shown }) {
  return (
    <svg className={`g ${state}`} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[state]}
    </svg>
  );
}
