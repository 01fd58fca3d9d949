import { MessageChannel, type MessagePort } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { RealHost } from '../../src/drivers/host.ts'
import { TerminalWatch, terminalSigns, terminalsIn } from '../../src/drivers/terminal/watch.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { DriverEvent } from '../../src/protocol/driver.ts'
import { inTime } from '../in-time.ts'
import { Lines } from './xt/rig.ts'

const MORNING_MS = Date.parse('2026-08-11T09:10:00+08:00')
const NIGHT_MS = Date.parse('2026-08-11T20:00:00+08:00')
const HOUR_MS = 3_600_000

/** Lines of `tasklist /FO CSV /NH`, as an English and a Chinese Windows print them. */
const LIST = [
  '"System Idle Process","0","Services","0","8 K"',
  '"XtMiniQmt.exe","4242","Console","1","312,004 K"',
  '"xtitclient.exe","17","RDP-Tcp#0","2","1,004 K"',
  '"notXtMiniQmt.exe","99","Console","1","12 K"',
  '"miniquote.exe","4300","Console","1","55,004 K"',
].join('\r\n')

t.test('terminals are told from other processes, and from each other', async (t) => {
  t.strictSame(
    [...terminalsIn(LIST)],
    ['xtminiqmt.exe 4242', 'xtitclient.exe 17', 'miniquote.exe 4300'],
  )
  t.strictSame([...terminalsIn('INFO: No tasks are running\r\n')], [])
})

t.test('they are looked for on Windows only', async (t) => {
  for (const platform of ['linux', 'darwin'] as const) {
    t.equal(terminalSigns(1_000, { platform, env: {} }), undefined)
  }
  t.type(terminalSigns(1_000, { platform: 'win32', env: {} }), 'function')
})

/** A watch whose looks are made by hand. */
function watching(t: Test) {
  const seen: number[] = []
  const running = new Set<string>()
  const state = { isWanted: true, looks: 0, fails: false }
  const log = new Lines()
  const watch = new TerminalWatch({
    everyMs: HOUR_MS,
    isWanted: () => state.isWanted,
    seen: () => seen.push(state.looks),
    log,
    signs: async () => {
      state.looks += 1
      if (state.fails) throw new Error('access denied')
      return new Set(running)
    },
  })
  t.teardown(() => watch.stop())
  return { watch, seen, running, state, log }
}

t.test('a process that appears is told once, and one that takes its place again', async (t) => {
  const { watch, seen, running } = watching(t)
  await watch.look()
  t.strictSame(seen, [])
  running.add('xtminiqmt.exe 1')
  await watch.look()
  await watch.look()
  t.strictSame(seen, [2])
  running.clear()
  running.add('xtminiqmt.exe 2')
  await watch.look()
  t.strictSame(seen, [2, 4], 'restarted between two looks')
})

t.test('nobody waits: nobody looks', async (t) => {
  const { watch, state } = watching(t)
  state.isWanted = false
  await watch.look()
  t.equal(state.looks, 0)
})

t.test('two looks are never under way together', async (t) => {
  const { watch, state } = watching(t)
  await Promise.all([watch.look(), watch.look()])
  t.equal(state.looks, 1)
})

t.test('a look that fails is told once and stops nothing', async (t) => {
  const { watch, seen, running, state, log } = watching(t)
  state.fails = true
  await watch.look()
  await watch.look()
  t.equal(log.all.length, 1)
  state.fails = false
  running.add('xtminiqmt.exe 1')
  await watch.look()
  t.equal(seen.length, 1)
})

interface Seat {
  readonly port: MessagePort
  /** The next event that the account hears. */
  readonly next: () => Promise<DriverEvent>
  readonly heard: DriverEvent[]
}

/** A host with accounts whose driver answers a connect as it is told, and processes that appear by hand. */
async function hostWith(t: Test, ids: readonly string[], { nowMs = MORNING_MS } = {}) {
  const running = new Set<string>()
  let looks = 0
  let isLoggedIn = false
  const sinks = new Map<string, (event: DriverEvent) => void>()
  const host = new RealHost<{ readonly account_id: string }>({
    log: silentLogger,
    lingerMs: 1_000,
    connect: ({ account_id: id }) => ({
      close: () => undefined,
      driver: () => ({
        open: (sink) => void sinks.set(id, sink),
        close: () => undefined,
        send: ({ kind, callId }) => {
          if (kind !== 'connect') return
          const fault = { code: 'FAILED', message: 'connect -1' } as const
          const result = isLoggedIn
            ? ({ ok: true, value: null } as const)
            : ({ ok: false, error: fault } as const)
          sinks.get(id)?.({ kind: 'connectAnswered', callId, result })
        },
      }),
    }),
    watch: {
      everyMs: 5,
      turnMs: 1,
      nowMs: () => nowMs,
      signs: async () => {
        looks += 1
        return new Set(running)
      },
    },
  })
  t.teardown(() => host.close())
  const seats = new Map<string, Seat>()
  for (const id of ids)
    seats.set(
      id,
      seat(t, (port) => introduce(host, id, port)),
    )
  const connect = async (id: string) => {
    const { port, next } = seats.get(id) as Seat
    port.postMessage(encode({ kind: 'command', command: { kind: 'connect', callId: 1 } }))
    return next()
  }
  const looksMore = async (count: number) => {
    const until = looks + count
    while (looks < until) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return {
    running,
    seats,
    connect,
    looksMore,
    looks: () => looks,
    logIn: () => {
      isLoggedIn = true
    },
  }
}

function introduce(host: RealHost<{ account_id: string }>, id: string, port: MessagePort): void {
  host.introduce({ slot: 1, account: { account_id: id } }, port)
}

function seat(t: Test, sit: (port: MessagePort) => void): Seat {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port2.close())
  const heard: DriverEvent[] = []
  const waiting: ((event: DriverEvent) => void)[] = []
  port2.on('message', (bytes: Uint8Array) => {
    const event = decode<DriverEvent>(bytes)
    heard.push(event)
    waiting.shift()?.(event)
  })
  sit(port1)
  port2.postMessage(encode({ kind: 'open', epoch: 1 }))
  const next = () =>
    inTime(new Promise<DriverEvent>((resolve) => waiting.push(resolve)), 'an event of the driver')
  return { port: port2, next, heard }
}

t.test('F95 who waits for the terminal is told when a process of it appears', async (t) => {
  const { running, seats, connect, looksMore, logIn } = await hostWith(t, ['a', 'b', 'c'])
  await connect('a')
  await connect('b')
  logIn()
  t.match(await connect('c'), { result: { ok: true } })
  await looksMore(2)
  const [a, b, c] = ['a', 'b', 'c'].map((id) => seats.get(id) as Seat)
  const told = Promise.all([a?.next(), b?.next()])
  running.add('xtminiqmt.exe 1')
  t.strictSame(await told, [{ kind: 'terminalSeen' }, { kind: 'terminalSeen' }])
  await looksMore(3)
  t.equal(a?.heard.length, 2, 'once')
  t.equal(c?.heard.length, 1, 'who is connected is left alone')
})

t.test(
  'outside the service hours, and while nobody is away, no process is looked for',
  async (t) => {
    const night = await hostWith(t, ['a'], { nowMs: NIGHT_MS })
    await night.connect('a')
    const day = await hostWith(t, ['a'])
    day.logIn()
    await day.connect('a')
    const busy = await hostWith(t, ['a'])
    await busy.connect('a')
    await busy.looksMore(3)
    t.equal(night.looks(), 0)
    t.equal(day.looks(), 0)
  },
)
