import type { FullResult, Reporter, Suite, TestCase } from "@playwright/test/reporter";

/** Ends the run with one line that counts. */
export default class Count implements Reporter {
  private tests: TestCase[] = [];
  private problems = 0;

  onBegin(_config: unknown, suite: Suite) {
    this.tests = suite.allTests();
  }

  onError() {
    this.problems += 1;
  }

  onEnd(result: FullResult) {
    const count = (outcome: string) => this.tests.filter((test) => test.outcome() === outcome).length;
    const skipped = count("skipped");
    const failed = count("unexpected") + count("flaky") + (result.status === "failed" ? this.problems : 0);
    console.log(`${count("expected")} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  }
}
