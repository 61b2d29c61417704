import { action, NOT_HERE } from "./action";

const inShip = ({ place, tab }: { place: { name: string }; tab: string }) =>
  place.name === "sessions" && tab === "ship" ? null : NOT_HERE;

export const OF_SHIP = [
  action({
    id: "ship-commit",
    words: "write the message of the commit",
    group: "ship",
    key: "C",
    off: inShip,
    command: ({ session }) => session && `qd ship ${session.id} --commit -m TEXT`,
    run: () => dispatchEvent(new Event("qd:ship-commit")),
  }),
  action({
    id: "ship-keep-out",
    words: "keep foreign commits out",
    group: "ship",
    key: "O",
    off: inShip,
    command: ({ session }) => session && `qd ship ${session.id} --keep-out`,
    run: () => dispatchEvent(new Event("qd:ship-keep-out")),
  }),
  action({
    id: "ship-push",
    words: "push the branch",
    group: "ship",
    key: "P",
    off: inShip,
    command: ({ session }) => session && `qd ship ${session.id} --push`,
    run: () => dispatchEvent(new Event("qd:ship-push")),
  }),
  action({
    id: "ship-merge",
    words: "merge into the base",
    group: "ship",
    key: "M",
    off: inShip,
    command: ({ session }) => session && `qd ship ${session.id} --merge`,
    run: () => dispatchEvent(new Event("qd:ship-merge")),
  }),
];
