/**
 * A way to a sidecar: carries messages in order, each once, and says when the other side was heard.
 * What the messages say, and who may speak, is none of its business.
 */
export interface SidecarLine {
  /** Takes a message; one that cannot leave ends the line. */
  send(message: object): void
  /** `performance.now()` of the last sign of life from the other side. */
  readonly heardMs: number
  /** Nothing is told after it. */
  close(): void
}

/** Who is at our end of a line. */
export interface LineEnd {
  /** What came is an object; what it holds is to be looked at. */
  readonly message: (message: object) => void
  /** Once, when nothing more comes: why. */
  readonly closed: (reason: string) => void
}

/** Opens a line; nothing is told before it returns. */
export type OpenLine = (end: LineEnd) => SidecarLine

export const isMessage = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
