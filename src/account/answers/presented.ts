/** One event in the words of people. */
export interface Presented {
  /** Who caused it. */
  readonly source: string
  /** One plain sentence, Chinese first. */
  readonly summary: string
  /** Instead of the event itself. */
  readonly body?: unknown
}
