import t from 'tap'
import { TerminalQuotes } from '../../src/drivers/terminal/quotes.ts'
import type { SidecarClient } from '../../src/drivers/terminal/sidecar-client.ts'
import type { SidecarHost, SidecarListener } from '../../src/drivers/terminal/sidecar-host.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { inTime } from '../in-time.ts'

const LIMITS = {
  pollMs: 1,
  wantDelayMs: 1,
  callTimeoutMs: 1_000,
  relaunchMsMin: 1,
  relaunchMsMax: 1,
}
const FAILED = { ok: false, error: { code: 'FAILED', message: 'no quotes' } } as const
const looked = (ticks: number, renewals = 0) => ({ ok: true, value: { ticks, renewals } }) as const
type Answer = typeof FAILED | ReturnType<typeof looked>

/** A sidecar whose looks end as the list says, and then as the last of it; resolves when all of it was said. */
function quotesAt(answers: readonly (Answer | 'gone')[]) {
  let listener: SidecarListener = { closed: () => undefined }
  let count = 0
  const said = Promise.withResolvers<void>()
  const poll = async (): Promise<Answer> => {
    const answer = answers[Math.min(count, answers.length - 1)]
    count += 1
    if (count > answers.length) said.resolve()
    if (answer !== 'gone') return answer ?? looked(0)
    listener.closed('gone')
    return FAILED
  }
  const call = (method: string) => (method === 'poll' ? poll() : Promise.resolve(looked(0)))
  const host = {
    listen: (next: SidecarListener) => {
      listener = next
    },
    open: async () => ({ call }) as unknown as SidecarClient,
    close: () => undefined,
  } as unknown as SidecarHost
  const quotes = new TerminalQuotes({ host, limits: LIMITS, log: silentLogger })
  return { quotes, said: said.promise }
}

/** How often it said that it is back while these looks were made. */
async function backs(answers: readonly (Answer | 'gone')[]): Promise<number> {
  const { quotes, said } = quotesAt(answers)
  let count = 0
  quotes.start(
    () => undefined,
    () => {
      count += 1
    },
  )
  await inTime(said, 'all looks')
  await quotes.stop()
  return count
}

t.test('F95 quotes that come back after a failure are told once', async (t) => {
  t.equal(await backs([looked(2), FAILED, FAILED, looked(2), looked(2)]), 2, 'and the first ones')
  t.equal(await backs([looked(2), looked(2, 1), looked(2, 1)]), 2, 'gone between two looks')
  t.equal(await backs([looked(2), 'gone', looked(2), looked(2)]), 2, 'also of another sidecar')
})

t.test(
  'quotes that were never away are told once, a terminal that gives none is not',
  async (t) => {
    t.equal(await backs([looked(2), looked(2)]), 1)
    t.equal(await backs([FAILED, looked(0), looked(0)]), 0, 'it answers, and has no quote')
  },
)
