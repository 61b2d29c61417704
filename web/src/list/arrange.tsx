import { Icon } from "../parts/icons";
import { type Entry, Menu } from "../parts/menu";
import { type Arrangement, BYS, type By, SORTS, type Sort } from "../state/arrange";
import { prefs } from "../state/prefs";
import { arrange, arrangement, where } from "../state/router";
import { useStore } from "../state/store";

export const BY_WORDS: Record<By, string> = {
  state: "State",
  repository: "Repository",
  agent: "Agent",
  branch: "Branch",
  tag: "Tag",
  kind: "Kind",
  age: "Age",
  none: "No groups",
};

export const SORT_WORDS: Record<Sort, string> = {
  since: "Since, newest first",
  title: "Title",
  created: "Created, newest first",
  activity: "Activity, newest first",
};

/** How the list is arranged now. */
export function useArrangement(): Arrangement {
  const by = useStore(where, (w) => w.by);
  const sort = useStore(where, (w) => w.sort);
  const keptBy = useStore(prefs, (p) => p.by);
  const keptSort = useStore(prefs, (p) => p.sort);
  return arrangement({ by, sort }, { by: keptBy, sort: keptSort });
}

/** The list's name for who listens. */
export function gridName(by: By): string {
  return by === "none" ? "Sessions" : `Sessions, by ${by}`;
}

/** A part of the menu, of which one is chosen. */
function choice<T extends string>(
  head: string,
  words: Record<T, string>,
  all: readonly T[],
  chosen: T,
  choose: (one: T) => void,
): Entry[] {
  return all.map((one, i) => ({
    label: words[one],
    head: i === 0 ? head : undefined,
    checked: one === chosen,
    icon: one === chosen ? <Icon name="check" size="s" /> : <span className="i s" />,
    run: () => choose(one),
  }));
}

/** The choice of groups and of the order in them. */
export function ArrangeMenu() {
  const { by, sort } = useArrangement();
  return (
    <Menu
      name={`Arrange: groups by ${BY_WORDS[by].toLowerCase()}, order by ${sort}`}
      className="btn bare icon"
      entries={[
        ...choice("Groups", BY_WORDS, BYS, by, (one) => arrange({ by: one })),
        ...choice("Order in a group", SORT_WORDS, SORTS, sort, (one) => arrange({ sort: one })),
      ]}
    >
      <Icon name="list" />
    </Menu>
  );
}
