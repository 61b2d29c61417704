import { Component, type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { Problem } from "./problem";

/** What cannot be drawn is told in its place; the rest of the page stays. */
export class Boundary extends Component<
  { children: ReactNode; of?: unknown; quiet?: boolean; onRetry?(): void },
  { error: Error | null }
> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  /** What is shown of something else is another try. */
  override componentDidUpdate(before: { of?: unknown }) {
    if (before.of !== this.props.of && this.state.error) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    if (this.props.quiet) return null;
    const again = () => {
      this.props.onRetry?.();
      this.setState({ error: null });
    };
    return (
      <div className="blank">
        <Problem
          problem={{
            code: "internal",
            title: "This part of the page could not be shown.",
            hint: `${error.message}. What you wrote is kept.`,
          }}
        >
          <button type="button" className="btn" onClick={again}>
            Try again
          </button>
          <button type="button" className="btn" onClick={() => location.reload()}>
            Reload
          </button>
        </Problem>
      </div>
    );
  }
}

/** A component whose code is read when it is needed. A reading that failed is tried again. */
export function late<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  { wait = null, quiet }: { wait?: ReactNode; quiet?: boolean },
): ComponentType<P> {
  let Part = lazy(load);
  return (props) => (
    <Boundary
      quiet={quiet}
      onRetry={() => {
        Part = lazy(load);
      }}
    >
      <Suspense fallback={wait}>
        <Current part={() => Part} props={props} />
      </Suspense>
    </Boundary>
  );
}

function Current<P extends object>({ part, props }: { part(): ComponentType<P>; props: P }) {
  const Part = part();
  return <Part {...props} />;
}
