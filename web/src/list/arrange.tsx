import { Icon } from "../parts/icons";
import { Menu } from "../parts/menu";
import { type Arrangement, BYS, type By, SORTS, type Sort } from "../state/arrange";
import { prefs } from "../state/prefs";
import { arrange, arrangement, where } from "../state/router";
import { useStore } from "../state/store";

const BY_WORDS: Record<By, string> = {
  state: "State",
  repository: "Repository",
  agent: "Agent",
  branch: "Branch",
  tag: "Tag",
  kind: "Kind",
  age: "Age",
  none: "No groups",
};

const SORT_WORDS: Record<Sort, string> = {
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
  return arrangement({ ...where.get(), by, sort }, { by: keptBy, sort: keptSort });
}

/** The list's name for who listens. */
export function gridName(by: By): string {
  return by === "none" ? "Sessions" : `Sessions, by ${by}`;
}

/** The choice of groups and of the order in them. */
export function ArrangeMenu() {
  const { by, sort } = useArrangement();
  const mark = (on: boolean) => (on ? <Icon name="check" size="s" /> : <span className="i s" />);
  return (
    <Menu
      name={`Arrange: groups by ${BY_WORDS[by].toLowerCase()}, order by ${sort}`}
      className="btn bare icon"
      entries={[
        ...BYS.map((one, i) => ({
          label: BY_WORDS[one],
          head: i === 0 ? "Groups" : undefined,
          checked: one === by,
          icon: mark(one === by),
          run: () => arrange({ by: one }),
        })),
        ...SORTS.map((one, i) => ({
          label: SORT_WORDS[one],
          head: i === 0 ? "Order in a group" : undefined,
          checked: one === sort,
          icon: mark(one === sort),
          run: () => arrange({ sort: one }),
        })),
      ]}
    >
      <Icon name="list" />
    </Menu>
  );
}
