import { setTimeout as delay } from 'node:timers/promises'
import type { AccountLink } from '../../http/port/service.ts'

const LOOK_MS = 20
const PLAY_MS_MAX = 60_000
const OPTIONS = { timeoutMs: 5_000, correlationId: 'bench' }

/** Plays the recording to a moment, inclusive, or to its end; at its last speed unless told. Errors  throws when that takes too long. */
export async function playUntil(link: AccountLink, until?: number, speed?: number): Promise<void> {
  const endMs = performance.now() + PLAY_MS_MAX
  await link.market(
    {
      kind: 'replayPlay',
      ...(until !== undefined && { until }),
      ...(speed !== undefined && { speed }),
    },
    OPTIONS,
  )
  while ((await link.market({ kind: 'replayStatus' }, OPTIONS)).state === 'playing') {
    if (performance.now() > endMs) throw new Error('the replay does not end')
    await delay(LOOK_MS)
  }
}

/** Rows of the quote board, in the order of the codes. */
export async function slotsOf(
  link: AccountLink,
  codes: readonly string[],
): Promise<readonly number[]> {
  const { slots } = await link.market(
    { kind: 'watch', codes: codes.map((code) => ({ code, hint: 0 })) },
    OPTIONS,
  )
  return codes.map((code) => slots[code] ?? 0)
}

/** How many orders the account has had today. */
export async function ordersOf(link: AccountLink): Promise<number> {
  const { bytes } = await link.ask({ kind: 'read', resource: 'orders' }, OPTIONS)
  const text = `${Buffer.from(bytes).toString()}}`
  return (JSON.parse(text) as { data: readonly object[] }).data.length
}
