import type { Action as Deed, SessionView } from "../api/types";
import { actOnPicked } from "../list/pick";
import { removeAndGoOn } from "../list/remove";
import { copyText } from "../parts/copy";
import { act, actsOf, goOnOf, isAdopted, perform, WORDS } from "../state/acts";
import { describe, pinIt } from "../state/describe";
import { isOpen } from "../state/groups";
import { actsOfAll, goOnOfAll } from "../state/many";
import { canFork, hasFiles, startFork, startShell } from "../state/more";
import { go, sessionPath } from "../state/router";
import { focusSoon, renaming, say, showAside } from "../state/ui";
import { typeIn } from "../terminal/ahead";
import { action, away, type Context, NOT_HERE, ofSession, onSession, whyNot } from "./action";

/** Those that are selected, else the one that is open. */
function idsOf({ picked, session }: Context): string {
  return picked.length > 0 ? picked.map(({ id }) => id).join(" ") : (session?.id ?? "");
}

function labelFor(deed: Deed | null, { picked }: Context): string {
  const verb = deed === null ? "Go on" : WORDS[deed].verb;
  return picked.length > 1 ? `${verb} the ${picked.length} that are selected` : verb;
}

/** What can be done to one, or to all that are selected; never to only some of them. */
function deed<I extends Deed>(id: I, key: string, also?: string) {
  return action({
    id,
    words: WORDS[id].verb.toLowerCase(),
    also,
    group: "sessions",
    key,
    label: (context) => labelFor(id, context),
    about: () => WORDS[id].about,
    off: (context) => {
      const { picked, session } = context;
      if (picked.length > 0)
        return actsOfAll(picked).includes(id) ? away(context) : "Not all that are selected can take it";
      if (session === null) return NOT_HERE;
      return actsOf(session).includes(id) ? away(context) : whyNot(session);
    },
    command: (context) => `qd ${id} ${idsOf(context)}`,
    run: ({ picked, session }) => {
      if (picked.length > 0) actOnPicked(id);
      else if (session) perform(session, id);
    },
  });
}

/** What the key that goes on does now. */
function goOn({ picked, session }: Context): Deed | null {
  if (picked.length > 0) return goOnOfAll(picked);
  if (session?.state === "trashed") return session.pending === null ? "restore" : null;
  return session ? goOnOf(session) : null;
}

const hasTerminal = ({ state }: SessionView) =>
  ["running", "exited", "paused", "hibernated"].includes(state) ? null : "It has no terminal";
const runs = ({ state }: SessionView) => (state === "running" ? null : "Its program does not run");
const isThere = (session: SessionView) => (isOpen(session) ? null : "It is in the trash");

function lease(session: SessionView, take: boolean) {
  void import("../terminal/pool").then(({ linkOf }) => linkOf(session.id).connection.lease(take));
}

function copy(text: string, what: string) {
  void copyText(text).then((done) => say(done ? `Copied ${what}` : "The browser refused to copy"));
}

export const OF_SESSION = [
  action({
    id: "type",
    words: "type in the terminal",
    also: "attach",
    group: "sessions",
    key: "Enter",
    off: ofSession((session) => (session.state === "creating" ? null : hasTerminal(session))),
    command: onSession("attach"),
    run: ({ session }) => {
      if (!session) return;
      go(sessionPath(session.id));
      typeIn(session.id);
    },
  }),
  action({
    id: "terminal",
    words: "look at the terminal",
    group: "sessions",
    key: "1",
    off: ({ session }) => (session ? null : NOT_HERE),
    command: onSession("screen"),
    run: ({ session }) => session && go(sessionPath(session.id)),
  }),
  action({
    id: "diff",
    words: "look at the diff",
    also: "changes review compare",
    group: "sessions",
    key: "2",
    off: ofSession((session) => {
      if (session.worktree === null) return "It has no files";
      return hasTerminal(session) === null ? null : whyNot(session);
    }),
    command: onSession("diff"),
    run: ({ session }) => session && go(sessionPath(session.id, "diff")),
  }),
  action({
    id: "ship",
    words: "ship its work",
    also: "commit push deliver foreign commits base rebuild",
    group: "sessions",
    key: "3",
    off: ofSession((session) => {
      if (session.worktree === null) return "It has no files";
      return hasTerminal(session) === null ? null : whyNot(session);
    }),
    command: onSession("ship"),
    run: ({ session }) => session && go(sessionPath(session.id, "ship")),
  }),
  action({
    id: "message",
    words: "write a message",
    also: "send prompt",
    group: "sessions",
    key: "m",
    off: ofSession(runs),
    command: onSession("send", " TEXT --enter"),
    run: ({ session }) => {
      if (session) go(sessionPath(session.id));
      focusSoon("#message");
    },
  }),
  action({
    id: "take-over",
    words: "take over the terminal",
    also: "lease",
    group: "sessions",
    key: "t",
    off: ofSession(runs),
    run: ({ session }) => session && lease(session, true),
  }),
  action({
    id: "release",
    words: "release the terminal",
    also: "lease",
    group: "sessions",
    key: "T",
    off: ofSession(runs),
    run: ({ session }) => session && lease(session, false),
  }),
  action({
    id: "why",
    words: "why it is in its state",
    also: "explain details",
    group: "sessions",
    key: "i",
    off: ({ session }) => (session ? null : NOT_HERE),
    command: onSession("show"),
    run: showAside,
  }),
  action({
    id: "rename",
    words: "rename",
    also: "title",
    group: "sessions",
    key: "r",
    off: ofSession(isThere),
    command: onSession("rename", " TITLE"),
    run: ({ session }) => session && renaming.set(session.id),
  }),
  action({
    id: "pin",
    words: "pin, or unpin",
    label: ({ session }) => (session?.pinned ? "Unpin" : "Pin"),
    group: "sessions",
    key: "P",
    off: ofSession(isThere),
    run: ({ session }) => session && void describe(session.id, pinIt(!session.pinned)),
  }),
  action({
    id: "tag",
    words: "add a tag",
    group: "sessions",
    key: "l",
    off: ofSession(isThere),
    run: () => {
      showAside();
      focusSoon("#add-tag");
    },
  }),
  action({
    id: "notes",
    words: "write notes",
    group: "sessions",
    key: "e",
    off: ofSession(isThere),
    run: () => {
      showAside();
      focusSoon("#details textarea");
    },
  }),
  deed("pause", "p", "stop put away"),
  deed("hibernate", "h", "sleep memory"),
  action({
    id: "go-on",
    words: "resume, wake, restore, or restart what has ended",
    label: (context) => labelFor(goOn(context), context),
    about: (context) => WORDS[goOn(context) ?? "wake"].about,
    group: "sessions",
    key: "w",
    off: (context) => {
      if (goOn(context) !== null) return away(context);
      if (context.picked.length > 0) return "What goes on is not the same for all that are selected";
      return context.session ? whyNot(context.session) : NOT_HERE;
    },
    command: (context) => `qd ${goOn(context) ?? "wake"} ${idsOf(context)}`,
    run: (context) => {
      const next = goOn(context);
      if (next === null) return;
      if (context.picked.length > 0) actOnPicked(next);
      else if (next === "restore" && context.session) void act(context.session, next);
      else if (context.session) perform(context.session, next);
    },
  }),
  deed("restart", "W", "again"),
  action({
    id: "shell",
    words: "shell in its worktree",
    label: () => "Shell",
    about: () => "A second terminal in its worktree; it goes to the trash with it",
    also: "second terminal",
    group: "sessions",
    key: "s",
    off: ofSession((session) => (hasFiles(session) ? null : "Its files are not in place")),
    command: onSession("shell"),
    run: ({ session }) => session && void startShell(session),
  }),
  action({
    id: "fork",
    words: "fork",
    about: () => "A session like it, on a new branch that begins where it is, with its uncommitted files",
    also: "duplicate branch",
    group: "sessions",
    key: "F",
    off: ofSession((session) => {
      if (canFork(session)) return null;
      return isAdopted(session) ? "How it was started is not known" : "Its files are not in place";
    }),
    command: onSession("fork"),
    run: ({ session }) => session && startFork(session),
  }),
  action({
    id: "copy-attach",
    words: "copy its qd attach command",
    label: () => "Copy qd attach command",
    group: "sessions",
    key: "Y",
    off: ofSession((session) => (isAdopted(session) ? "It is in a tmux of your own" : runs(session))),
    command: onSession("attach"),
    run: ({ session }) => session && copy(`qd attach ${session.id}`, "the command"),
  }),
  action({
    id: "copy-id",
    words: "copy its id",
    label: () => "Copy the id",
    group: "sessions",
    key: "y",
    off: ({ session }) => (session ? null : NOT_HERE),
    command: onSession("show"),
    run: ({ session }) => session && copy(session.id, "the id"),
  }),
  action({
    id: "delete",
    words: "delete, to the trash",
    label: (context) => labelFor("trash", context),
    about: () => WORDS.trash.about,
    also: "remove",
    group: "sessions",
    key: "#",
    off: (context) => {
      if (context.picked.length > 0) return away(context);
      return ofSession(isThere)(context);
    },
    command: (context) => `qd rm ${idsOf(context)}`,
    run: ({ picked, session }) => {
      if (picked.length > 0) actOnPicked("trash");
      else if (session) removeAndGoOn(session);
    },
  }),
];
