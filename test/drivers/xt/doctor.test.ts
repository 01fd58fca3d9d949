import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  askForQuote,
  HeardTicks,
  quoteFinding,
} from '../../../src/drivers/terminal/quote-finding.ts'
import { queueFilesFinding } from '../../../src/drivers/xt/queue-files.ts'
import type { Tick } from '../../../src/protocol/market.ts'

const NOW_MS = Date.parse('2026-11-24T10:00:00+08:00')
const CODE = '000001.SZ'
const MEND = 'log in'
const tick = (parts: Partial<Tick> = {}): Tick => ({
  stock_code: CODE,
  time: NOW_MS - 3_000,
  lastPrice: 11.02,
  lastClose: 11,
  open: 11,
  high: 11.1,
  low: 10.9,
  volume: 100,
  amount: 1_100,
  bidPrice: [],
  askPrice: [],
  bidVol: [],
  askVol: [],
  ...parts,
})
const found = (parts: { tick?: Tick | undefined; refused?: string }) =>
  quoteFinding({ code: CODE, tick: undefined, refused: undefined, ...parts }, NOW_MS, MEND)

t.test('a code is quoted when a tick with time and price was accepted', async (t) => {
  t.match(found({ tick: tick() }), {
    status: 'ok',
    text: '已采用 000001.SZ 的行情 (000001.SZ is quoted 11.02, dated 2026-11-24 09:59:57, 3 s old)',
  })
  t.match(found({ tick: tick({ time: NOW_MS - 65 * 3_600_000 }) }), {
    status: 'ok',
    text: /2 d old/,
  })
  t.match(found({ tick: tick({ lastPrice: 0 }) }), { status: 'warn', text: /has no price/ })
  t.match(found({ tick: tick({ time: NOW_MS + 3_600_000 }) }), {
    status: 'warn',
    text: /60 min ahead of this computer/,
    mend: /clock/,
  })
  t.match(found({}), { status: 'warn', text: /no quote/, mend: MEND })
})

t.test('ticks that come and are refused are named, whatever was accepted before', async (t) => {
  const refused = "no time in '09:30'"
  t.match(found({ refused }), { status: 'fail', text: /are refused\): no time in '09:30'/ })
  t.match(found({ refused, tick: tick() }), { status: 'fail' })
})

t.test('a terminal that answers some time after the subscription is waited for', async (t) => {
  const heard = new HeardTicks()
  const calls: string[] = []
  const call = async (method: string) => {
    calls.push(method)
    const isLate = calls.length === 4
    if (isLate)
      heard.ticks([CODE], new Uint8Array(Float64Array.from({ length: 28 }, () => 7).buffer))
    return { ok: true, value: { ticks: 1, refused: {} } } as const
  }
  const quoted = await askForQuote({ call }, heard, { code: CODE, timeoutMs: 1_000 })
  t.match(quoted, { code: CODE, tick: { lastPrice: 7, time: 7 } })
  t.strictSame(calls, ['want', 'poll', 'poll', 'poll'], 'an answered look alone proves nothing')
  const silent = { call: async () => ({ ok: true, value: { ticks: 1 } }) as const }
  t.match(await askForQuote(silent, new HeardTicks(), { code: CODE, timeoutMs: 1 }), {
    tick: undefined,
  })
})

t.test('files of sessions that fill the disk are told', async (t) => {
  const folder = t.testdir({ lock_down_queue_win_1: '', 'terminal.json': 'x'.repeat(9_000) })
  t.match(queueFilesFinding(folder), { status: 'ok', text: /\(1 of .* 0 MB/ })
  writeFileSync(join(folder, 'down_queue_win_1'), Buffer.alloc(3_000))
  mkdirSync(join(folder, 'up_queue_xtquant'))
  writeFileSync(join(folder, 'up_queue_xtquant', 'data'), Buffer.alloc(3_000))
  t.match(queueFilesFinding(folder, 6_000), { status: 'ok', text: /\(3 of .* 1 MB/ })
  t.match(queueFilesFinding(folder, 5_999), { status: 'warn', mend: /delete down_queue_win_/ })
  t.match(queueFilesFinding(join(folder, 'none')), { status: 'warn', text: /ENOENT/ })
})
