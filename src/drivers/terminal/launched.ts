/** Where the words of a sidecar, and those about it, go. */
export interface SidecarLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A sidecar of our own. */
export interface Launched {
  readonly port: number
  readonly pid: number
  /** Lets it finish what it writes, then it ends by itself; by force when it does not. Resolves when it has. */
  stop(): Promise<void>
}

/** The folder belongs to another sidecar for now. */
export class SidecarHeld extends Error {
  override readonly name = 'SidecarHeld'
}
