/** A bug to be planted, and the test that has to notice it. */
export interface Mutant {
  /** How it is called on the command line. */
  readonly id: string
  /** What it would do to a user, in one line. */
  readonly cost: string
  /** From the root of the project. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly text: string
  readonly becomes: string
  /** File, then the titles of the test from the outside in. Only this test is run. */
  readonly test: readonly [file: string, title: string, ...inner: string[]]
}
