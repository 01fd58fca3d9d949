/** What the disk of a computer keeps of the lives of its node. */
export interface KeptLives {
  /** The newest last. */
  readonly lives: readonly string[]
  /** Addresses of the network adapters of the computer that has had them. */
  readonly adapters: readonly string[]
}

/** So many may have ended in a row before the servers heard of one. */
const LIVES_KEPT = 16

/**
 * Lives of which this computer may say that they are over, because it had them itself. A computer that was copied has the
 * disk of another one, but none of its network adapters, and has had none of its lives. undefined: no lives were kept
 * here before, and nobody can say.
 */
export function livesBefore(
  kept: KeptLives | undefined,
  adapters: readonly string[],
): readonly string[] | undefined {
  if (kept === undefined) return
  return isSameComputer(kept, adapters) ? kept.lives : []
}

/** What is to be on the disk before the servers hear of a life. */
export function withLife(
  kept: KeptLives | undefined,
  inc: string,
  adapters: readonly string[],
): KeptLives {
  const before = livesBefore(kept, adapters) ?? []
  return {
    lives: [...before, inc].slice(-LIVES_KEPT),
    adapters: adapters.length > 0 ? adapters : (kept?.adapters ?? []),
  }
}

/** One in common is enough: others come and go, as those of virtual networks do. */
const isSameComputer = ({ adapters: kept }: KeptLives, adapters: readonly string[]): boolean =>
  kept.length === 0 || adapters.some((address) => kept.includes(address))
