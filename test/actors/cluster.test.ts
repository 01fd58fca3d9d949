import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { ClusterActor, type ClusterActorDeps } from '../../actors/cluster/cluster.actor.ts'
import type { CallServer, ControlWatcher } from '../../src/cluster/node/engine.ts'
import { BrokenChain } from '../../src/cluster/node/fenced-log.ts'
import { DEFAULT_APPEND_LIMITS } from '../../src/cluster/protocol/append.ts'
import { accountWord } from '../../src/cluster/protocol/order-check.ts'
import type { JournalRecord } from '../../src/cluster/protocol/records.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import type { AskLimits } from '../../src/ports/transport.port.ts'
import type { Census } from '../../src/protocol/census.ts'
import type { ClusterRequest, ClusterTold } from '../../src/protocol/cluster.ts'
import { encode } from '../../src/protocol/codec.ts'
import type { ReplicatedBooks } from '../../src/protocol/journal.ts'
import { Histogram } from '../../src/runtime/histogram.ts'
import { steadyMs } from '../../src/runtime/steady.ts'
import { recordOf } from '../cluster/protocol/fixtures/values.ts'
import { TIMING } from '../contract/ownership/computer.ts'
import { memoryServers } from '../contract/ownership/memory-servers.ts'
import { inTime } from '../in-time.ts'
import { ACCOUNT, actorOn } from './fixtures/cluster-actor.ts'

const WORDS = 64

/** On servers that work. */
function liveActor(
  t: Test,
  engine: ClusterActorDeps['engine'],
  told: (what: ClusterTold) => void,
): { readonly actor: ClusterActor; readonly words: Int32Array } {
  const words = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT))
  const now = () => ({ monoMs: Math.floor(steadyMs()), wallMs: Date.now() })
  const actor = new ClusterActor({
    self: { node: 'node-a', inc: randomUUID(), host: 'here', v: '1' },
    timing: TIMING,
    append: DEFAULT_APPEND_LIMITS,
    limits: { metricsTimeoutMs: 1, stopTimeoutMs: 100 },
    engine,
    now,
    newId: randomUUID,
    words,
    origin: now(),
    appends: new Histogram(),
    main: {
      tell: (what) => void setImmediate(() => told(what as ClusterTold)),
      ask: () => Promise.reject(new Error('nobody is asked here')),
    },
  })
  t.teardown(() => actor.stop())
  return { actor, words }
}

t.test('F179 a snapshot that the servers do not take is refused, and ends no thread', async (t) => {
  const away = new Error('no responders')
  const actor = actorOn(t, { keep: () => Promise.reject(away) })
  const snapshot = { commits: 10, from: 3, parts: [] }
  await t.rejects(
    actor.journal({ kind: 'keep', accountId: ACCOUNT, snapshot }),
    new ServiceError(
      'NOT_OWNER',
      `no snapshot of account ${ACCOUNT} was kept: no responders`,
      undefined,
      away,
    ),
  )
})

const part = (index: number, e: number): JournalRecord =>
  recordOf({ e, body: { t: 'part', index, count: 2, bytes: halves[index] ?? new Uint8Array() } })
const commit = { epoch: 1, schema: 1, body: new Uint8Array([1, 2, 3]) }
const whole = encode(commit)
const halves = [whole.subarray(0, 5), whole.subarray(5)]

async function* recordsOf(records: readonly JournalRecord[]) {
  for (const [i, record] of records.entries()) yield { seq: i + 1, record }
}

t.test('F204 what was written in parts is read whole, and what was cut short is not', async (t) => {
  const records = [part(0, 1), part(1, 1), part(0, 1), recordOf({ e: 2 })]
  const actor = actorOn(t, {
    snapshot: () => Promise.resolve(undefined),
    records: () => recordsOf(records),
  })
  const books = await actor.journal({ kind: 'read', accountId: ACCOUNT })
  t.match(books, { snapshot: [], commits: [{ epoch: 1, schema: 1 }] })
  t.equal((books as ReplicatedBooks).commits.length, 1)
})

t.test('F204 a journal with a gap is not taken for one that ends earlier', async (t) => {
  const actor = actorOn(t, {
    snapshot: () => Promise.resolve(undefined),
    records: () => {
      throw new BrokenChain(ACCOUNT, 7)
    },
  })
  await t.rejects(actor.journal({ kind: 'read', accountId: ACCOUNT }), {
    code: 'STORE_FAILED',
    message: /^JOURNAL_REGRESSED/,
  })
})

t.test('what is kept of an account is told while it is followed', async (t) => {
  const subscriptions = new Map<() => void, string>()
  const told: unknown[] = []
  const follow = (acct: string, onNews: () => void) => {
    subscriptions.set(onNews, acct)
    return () => void subscriptions.delete(onNews)
  }
  const actor = actorOn(t, { follow }, (body) => void told.push(body))
  const order = (isOn: boolean) =>
    actor.control({ kind: 'follow', accountId: ACCOUNT, isOn }, { deadlineMs: 1 })
  await order(true)
  await order(true)
  t.equal(subscriptions.size, 1, 'once')
  for (const onNews of subscriptions.keys()) onNews()
  t.strictSame(told, [{ kind: 'news', accountId: ACCOUNT }])
  await order(false)
  t.equal(subscriptions.size, 0)
})

t.test('F207 what a snapshot has is not read again', async (t) => {
  const asked: number[] = []
  const parts = [new Uint8Array([1])]
  const actor = actorOn(t, {
    snapshot: () => Promise.resolve({ parts, from: 700 }),
    records: (_, from) => {
      asked.push(from)
      return recordsOf([])
    },
  })
  const books = await actor.journal({ kind: 'read', accountId: ACCOUNT })
  t.strictSame([books, asked], [{ snapshot: parts, commits: [] }, [700]])
})

t.test('F191 who was fenced is not waited for and named, who left in order is not', async (t) => {
  const asked: unknown[] = []
  const actor = actorOn(t, {
    watch: ({ onNode, onCurrent }) => {
      const states = { 'node-b': 'up', 'node-c': 'fenced', 'node-d': 'gone' } as const
      for (const [node, state] of Object.entries(states)) {
        onNode({ node, inc: '', host: 'there', state, ttlMs: 15_000, v: '1' }, 1)
      }
      onCurrent()
      return { reopen: () => undefined, close: () => undefined }
    },
    survey: (call) => {
      asked.push(call)
      return Promise.resolve(new Map([['node-b', Buffer.from('up 1')]]))
    },
  })
  const told = await actor.control({ kind: 'metrics', timeoutMs: 300 }, { deadlineMs: 0 })
  t.strictSame(told, { 'node-b': 'up 1', 'node-c': null })
  t.strictSame(asked, [{ what: 'metrics', expected: ['node-b'], timeoutMs: 300 }])
})

t.test('F213 a gateway writes nothing on the servers, and answers nobody', async (t) => {
  const asked: string[] = []
  const note = (what: string) => () => void asked.push(what)
  const actor = actorOn(
    t,
    {
      serve: note('serve'),
      serveSurvey: note('survey'),
      perform: async (effect) => {
        asked.push(effect.do)
        return { is: 'failed', call: effect.call, why: 'unavailable' }
      },
    },
    () => undefined,
    true,
  )
  await actor.control({ kind: 'drain' }, { deadlineMs: 1 })
  await actor.stop()
  t.strictSame(asked, [])
  const join = { accountId: ACCOUNT, eligible: ['node-a'], value: new Uint8Array() } as const
  const gateway = actorOn(t, {}, () => undefined, true)
  t.match(await gateway.control({ kind: 'register', ...join }, { deadlineMs: 1 }), {
    is: 'unknown',
    nodes: ['node-a'],
  })
})

t.test(
  'F317 an answer of another computer that nobody can read is none, and ends no thread',
  async (t) => {
    const inc = '00000000-0000-4000-8000-000000000001'
    const value = { node: 'node-b', inc, e: 3, seq: 1, state: 'active' } as const
    const bodies = [new Uint8Array([0xc1]), encode(null), encode({ epoch: 'three' }), encode([])]
    for (const body of bodies) {
      let watcher: ControlWatcher | undefined
      const actor = actorOn(t, {
        watch: (given) => {
          watcher = given
          return { reopen: () => undefined, close: () => undefined }
        },
        request: () => Promise.resolve({ is: 'reply', body }),
      })
      watcher?.onPlacement(ACCOUNT, { value, revision: 1 } as never)
      const call = { kind: 'call', accountId: ACCOUNT, body: encode({}), isWrite: true } as const
      const asked = actor.control(call, { deadlineMs: steadyMs() + 60_000 })
      await t.rejects(inTime(asked, 'the end of a call'), {
        code: 'DEADLINE_EXCEEDED',
        message: /may have carried the request out/,
      })
    }
  },
)

t.test('F650 an account that was unregistered is shown as taken over by nobody', async (t) => {
  const others: ControlWatcher[] = []
  const actor = actorOn(t, {
    watch: (given) => {
      others.push(given)
      return { reopen: () => undefined, close: () => undefined }
    },
  })
  const [watcher] = others
  const places = async () => {
    const census = await actor.control({ kind: 'census' }, { deadlineMs: steadyMs() + 60_000 })
    return (census as Census).places.map(({ accountId, owner }) => `${accountId} ${owner}`)
  }
  const inc = '00000000-0000-4000-8000-000000000001'
  const placed = (acct: string, revision: number) => {
    const value = { node: 'node-b', inc, e: 3, seq: 1, state: 'released' } as const
    watcher?.onPlacement(acct, { value, revision } as never)
  }
  placed(ACCOUNT, 1)
  placed('of a configuration', 2)
  watcher?.onRegistrations(new Map([[ACCOUNT, encode({})]]), new Set())
  watcher?.onCurrent()
  t.strictSame(await places(), [`${ACCOUNT} none`, 'of a configuration none'], 'both may come back')
  watcher?.onRegistrations(new Map(), new Set([ACCOUNT]))
  t.strictSame(await places(), ['of a configuration none'])
  watcher?.onRegistrations(new Map([[ACCOUNT, encode({})]]), new Set())
  t.strictSame(await places(), [`${ACCOUNT} none`, 'of a configuration none'], 'registered again')
})

t.test(
  'an account that is joined again while its leave waits for the servers is run again',
  async (t) => {
    const line = await memoryServers().engine()
    const owned: number[] = []
    let heard: () => void = () => undefined
    const { actor, words } = liveActor(t, line.engine, (told) => {
      if (told.kind === 'owned') owned.push(told.epoch)
      heard()
    })
    const untilOwned = async (times: number) => {
      while (owned.length < times) {
        const next = Promise.withResolvers<void>()
        heard = next.resolve
        await inTime(next.promise, 'what is told of the seat')
      }
    }
    const control = (request: ClusterRequest) => actor.control(request, { deadlineMs: 1 })
    const join = {
      kind: 'join',
      accountId: ACCOUNT,
      slot: 1,
      eligible: ['node-a'],
      epoch: 0,
      isReal: false,
    } as const
    await control({ ...join, opensAt: 0 })
    await untilOwned(1)
    line.cut()
    const left = control({ kind: 'leave', accountId: ACCOUNT })
    await control({ ...join, opensAt: 0 })
    line.heal()
    await left
    await untilOwned(2)
    t.equal(words[accountWord(1)], owned[1])
  },
)

t.test(
  'F411 a leave that waits for the servers keeps no other account from the row that it gave up',
  async (t) => {
    const line = await memoryServers().engine()
    const other = '10000002'
    const owned = new Map<string, number>()
    let heard: () => void = () => undefined
    const held = Promise.withResolvers<void>()
    let isHeld = false
    const engine: ClusterActorDeps['engine'] = {
      ...line.engine,
      perform: async (effect) => {
        if (isHeld && 'acct' in effect && effect.acct === ACCOUNT) await held.promise
        return line.engine.perform(effect)
      },
    }
    const { actor, words } = liveActor(t, engine, (told) => {
      if (told.kind === 'owned') owned.set(told.accountId, told.epoch)
      heard()
    })
    const untilOwned = async (accountId: string) => {
      while (!owned.has(accountId)) {
        const next = Promise.withResolvers<void>()
        heard = next.resolve
        await inTime(next.promise, 'what is told of the seat')
      }
    }
    const control = (request: ClusterRequest) => actor.control(request, { deadlineMs: 1 })
    const join = (accountId: string) =>
      control({
        kind: 'join',
        accountId,
        slot: 1,
        eligible: ['node-a'],
        epoch: 0,
        opensAt: 0,
        isReal: false,
      })
    await join(ACCOUNT)
    await untilOwned(ACCOUNT)
    isHeld = true
    const left = control({ kind: 'leave', accountId: ACCOUNT })
    t.equal(words[accountWord(1)], 0, 'what has been left acts no more, whatever the servers say')
    await join(other)
    await untilOwned(other)
    held.resolve()
    await inTime(left, 'the end of the leave')
    t.equal(
      words[accountWord(1)],
      owned.get(other),
      'its orders would have been held back for good',
    )
  },
)

t.test('a call of another node may take as long as that node waits for it', async (t) => {
  const LONGEST_MS = 24 * 3_600_000
  const servers: CallServer[] = []
  const ask = async (_: unknown, { timeoutMs }: AskLimits) => {
    if (timeoutMs < LONGEST_MS) throw new Error(`given up after ${timeoutMs} ms`)
    return encode({ epoch: 1 })
  }
  const serve = (_node: string, _inc: string, server: CallServer) => void servers.push(server)
  actorOn(t, { serve }, undefined, false, ask)
  t.ok(await servers[0]?.answer(ACCOUNT, new Uint8Array()))
})
