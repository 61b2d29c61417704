import type { DiffFile } from "../api/types";

export type TreeRow =
  | { kind: "dir"; path: string; name: string; depth: number; closed: boolean }
  | { kind: "file"; file: DiffFile; name: string; depth: number };

interface Dir {
  dirs: Map<string, Dir>;
  files: { file: DiffFile; name: string }[];
}

const fresh = (): Dir => ({ dirs: new Map(), files: [] });

/** Files as rows: folders first, then files; folders with one folder in them are one row. */
export function treeRows(files: readonly DiffFile[], closed: ReadonlySet<string>): TreeRow[] {
  const root = fresh();
  for (const file of files) {
    const parts = file.path.split("/");
    const name = parts.pop() ?? file.path;
    let dir = root;
    for (const part of parts) {
      let next = dir.dirs.get(part);
      if (!next) {
        next = fresh();
        dir.dirs.set(part, next);
      }
      dir = next;
    }
    dir.files.push({ file, name });
  }
  const out: TreeRow[] = [];
  walk(root, "", 0, closed, out);
  return out;
}

function walk(dir: Dir, path: string, depth: number, closed: ReadonlySet<string>, out: TreeRow[]) {
  for (const [part, child] of dir.dirs) {
    let name = part;
    let at = child;
    while (at.files.length === 0 && at.dirs.size === 1) {
      const only = [...at.dirs][0];
      if (!only) break;
      name += `/${only[0]}`;
      at = only[1];
    }
    const full = path === "" ? name : `${path}/${name}`;
    const shut = closed.has(full);
    out.push({ kind: "dir", path: full, name, depth, closed: shut });
    if (!shut) walk(at, full, depth + 1, closed, out);
  }
  for (const { file, name } of dir.files) out.push({ kind: "file", file, name, depth });
}

const SIZES = ["bytes", "KB", "MB", "GB"];

export function bytes(n: number): string {
  let value = n;
  let unit = 0;
  while (value >= 1000 && unit < SIZES.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${SIZES[unit]}`;
}

/** What a file is, in a word, when its numbers do not tell. */
export function fileWord(file: DiffFile): string | null {
  if (file.status === "conflicted") return "conflict";
  if (file.binary) return file.size === null ? "binary" : `binary, ${bytes(file.size)}`;
  if (file.large) return file.size === null ? "large" : `large, ${bytes(file.size)}`;
  if (file.status === "untracked") return "untracked";
  if (file.status === "added") return "new";
  if (file.status === "deleted") return "deleted";
  if (file.status === "renamed") return "renamed";
  if (file.status === "copied") return "copied";
  if (file.status === "type-changed") return "type";
  if (file.old_mode !== null && file.new_mode !== null && file.old_mode !== file.new_mode) return "mode";
  return null;
}
