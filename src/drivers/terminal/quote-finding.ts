import { exchangeTime } from '../../domain/exchange-time.ts'
import { type Finding, fail, fine, warn } from '../../domain/finding.ts'
import type { Tick } from '../../protocol/market.ts'
import { tickAt } from './quotes.ts'
import type { SidecarClient } from './sidecar-client.ts'

/** Looks at the quotes of a terminal before it counts as silent, and the time between two of them. */
const LOOKS_MAX = 10
const LOOK_MS = 300
/** By which a quote may be ahead of the clock of this computer. */
const AHEAD_MS_MAX = 60_000
const SECOND_MS = 1_000

/** What came of one code: its newest tick, and why a newer one was refused. */
export interface Quoted {
  readonly code: string
  readonly tick: Tick | undefined
  readonly refused: string | undefined
}

/** Hears the ticks of a sidecar; its `ticks` is a listener of a host. */
export class HeardTicks {
  readonly #newest = new Map<string, Tick>()
  #wake: () => void = () => undefined

  readonly ticks = (codes: readonly string[], doubles: Uint8Array): void => {
    const view = new DataView(doubles.buffer, doubles.byteOffset, doubles.byteLength)
    for (const [index, code] of codes.entries()) this.#newest.set(code, tickAt(view, index, code))
    this.#wake()
  }
  of(code: string): Tick | undefined {
    return this.#newest.get(code)
  }
  /** Until something was heard, or so long. */
  within(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/**
 * Has a code fed and waits for a tick of it that has a price: some terminals answer only a while after
 * the subscription.
 *
 * @returns what came, or the words of a call that failed
 */
export async function askForQuote(
  client: Pick<SidecarClient, 'call'>,
  heard: HeardTicks,
  { code, timeoutMs }: { readonly code: string; readonly timeoutMs: number },
): Promise<Quoted | string> {
  const asked = await client.call('want', { codes: [code] }, timeoutMs)
  if (!asked.ok) return asked.error.message
  let refused: string | undefined
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const looked = await client.call('poll', {}, timeoutMs)
    if (!looked.ok) return looked.error.message
    const reasons = looked.value['refused'] as Readonly<Record<string, string>> | undefined
    refused = reasons?.[code]
    if ((heard.of(code)?.lastPrice ?? 0) > 0 || refused !== undefined) break
    await heard.within(LOOK_MS)
  }
  return { code, tick: heard.of(code), refused }
}

/** What a doctor says of it: a code is quoted when a tick with time and price was accepted. */
export function quoteFinding(
  { code, tick, refused }: Quoted,
  nowMs: number,
  mend: string,
): Finding {
  const name = 'quotes'
  if (refused !== undefined) {
    return fail(
      name,
      `收到 ${code} 的行情但不采用 (ticks of ${code} come and are refused): ${refused}`,
      '此终端的价格停住，止损看不到新价：请更新终端，并反馈这一行 (prices of this terminal stand still and no stop sees them: update the terminal, and report this line)',
    )
  }
  if (tick === undefined) {
    return warn(
      name,
      `没有 ${code} 的行情，首次登录前属正常 (no quote of ${code}; normal before the first day's login)`,
      mend,
    )
  }
  const dated = `dated ${exchangeTime(tick.time)}, ${ageText(nowMs - tick.time)}`
  if (!(tick.lastPrice > 0)) {
    return warn(
      name,
      `${code} 还没有价格，09:15 前属正常 (${code} has no price (${dated}); normal before 09:15)`,
      mend,
    )
  }
  if (tick.time - nowMs > AHEAD_MS_MAX) {
    const clock =
      '请校准本机时钟并打开自动同步 (set the clock of this computer, and have it set by itself (w32tm /resync))'
    return warn(name, quotedText(code, tick.lastPrice, dated), clock)
  }
  return fine(name, quotedText(code, tick.lastPrice, dated))
}

function ageText(ageMs: number): string {
  const seconds = Math.round(Math.abs(ageMs) / SECOND_MS)
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ] as const
  const [size, unit] = units.find(([least]) => seconds >= 2 * least) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${unit} ${ageMs < 0 ? 'ahead of this computer' : 'old'}`
}

const quotedText = (code: string, price: number, dated: string): string =>
  `已采用 ${code} 的行情 (${code} is quoted ${price}, ${dated})`
