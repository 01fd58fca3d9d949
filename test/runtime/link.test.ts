import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { ServiceError } from '../../src/domain/errors.ts'
import type { CallHeader, Transport } from '../../src/ports/transport.port.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import { type Envelope, PROTOCOL_VERSION } from '../../src/protocol/envelope.ts'
import { Link, type LinkOptions, portWire } from '../../src/runtime/link.ts'
import { steadyMs } from '../../src/runtime/steady.ts'

const ASK = { timeoutMs: 10_000 }

/** Two links over a real port; `far` is the one that answers. */
function pair(far: Partial<LinkOptions>, openAsksMax = 100): { near: Link; far: Link } {
  const { port1, port2 } = new MessageChannel()
  const limits = { openAsksMax }
  return {
    near: new Link(portWire(port1), { peer: 'far', limits }),
    far: new Link(portWire(port2), { peer: 'near', limits, ...far }),
  }
}
const end = (link: Link): void => link.close(new ServiceError('STOPPING', 'the test is over'))

/** A wire that keeps what is sent and lets the test play the other side. */
function recorder() {
  const sent: Envelope[][] = []
  let receive = (_bytes: Uint8Array): void => undefined
  const wire: Transport = {
    send: (bytes) => sent.push(decode(bytes)),
    onBytes: (listener) => {
      receive = listener
    },
    onClose: () => undefined,
    close: () => undefined,
  }
  return { wire, sent, hear: (bytes: Uint8Array) => receive(bytes) }
}
const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

t.test('an ask is answered, with what the other side may know of it', async (t) => {
  let context: CallHeader | undefined
  const { near, far } = pair({
    answer: async (body, call) => {
      context = call
      return { echo: body }
    },
  })
  const value = await near.ask({ n: 1 }, { ...ASK, lane: 'system', correlationId: 'c-1' })
  t.strictSame(value, { echo: { n: 1 } })
  t.match(context, { lane: 'system', correlationId: 'c-1', deadlineMs: Number })
  end(far)
})

t.test('an answer of nothing arrives as null', async (t) => {
  const { near } = pair({ answer: () => undefined })
  t.equal(await near.ask('x', ASK), null)
  end(near)
})

t.test('a refusal arrives with its code, message and details', async (t) => {
  const { near } = pair({
    answer: () => {
      throw new ServiceError('VALIDATION', 'no good', { price: ['must be positive'] })
    },
  })
  await t.rejects(near.ask('x', ASK), {
    name: 'ServiceError',
    code: 'VALIDATION',
    message: 'no good',
    details: { price: ['must be positive'] },
  })
  end(near)
})

t.test('who answers no calls says so', async (t) => {
  const { near } = pair({})
  await t.rejects(near.ask('x', ASK), { code: 'INTERNAL', message: 'far answers no calls' })
  end(near)
})

t.test(
  'an ask without an answer ends at its deadline, and a late answer changes nothing',
  async (t) => {
    const late = Promise.withResolvers<string>()
    const { near } = pair({ answer: (body) => (body === 'slow' ? late.promise : 'quick') })
    await t.rejects(near.ask('slow', { timeoutMs: 1 }), { code: 'DEADLINE_EXCEEDED' })
    late.resolve('too late')
    t.equal(await near.ask('next', ASK), 'quick')
    end(near)
  },
)

t.test('a deadline beyond what a timer can wait is not one that has passed', async (t) => {
  const { near } = pair({ answer: () => new Promise((resolve) => setImmediate(resolve, 'here')) })
  t.equal(await near.ask('x', { timeoutMs: 2 ** 40 }), 'here')
  end(near)
})

t.test('work that arrives after its deadline is refused, not started', async (t) => {
  const { wire, sent, hear } = recorder()
  const answered: unknown[] = []
  const limits = { openAsksMax: 1 }
  const link = new Link(wire, { peer: 'x', limits, answer: (body) => answered.push(body) })
  const call = {
    version: PROTOCOL_VERSION,
    type: 'call',
    to: 'me',
    lane: 'request',
    incarnation: 0,
  }
  const late = {
    ...call,
    messageId: 7,
    deadlineMs: steadyMs() - 1,
    correlationId: '',
    body: 'late',
  }
  hear(encode([late]))
  while (sent.length === 0) await aTurn()
  t.match(sent, [[{ messageId: 7, outcome: { ok: false, error: { code: 'DEADLINE_PASSED' } } }]])
  t.strictSame(answered, [])
  end(link)
})

t.test('one ask more than the limit is refused at once, until another ends', async (t) => {
  const gate = Promise.withResolvers<string>()
  const { near } = pair({ answer: () => gate.promise }, 2)
  const open = [near.ask(1, ASK), near.ask(2, ASK)]
  await t.rejects(near.ask(3, ASK), { code: 'OVERLOADED' })
  gate.resolve('open')
  t.strictSame(await Promise.all(open), ['open', 'open'])
  t.equal(await near.ask(4, ASK), 'open')
  end(near)
})

t.test('a closed link fails open asks at once with its reason, and every later one', async (t) => {
  const heard: unknown[] = []
  const { near } = pair({
    answer: () => new Promise(() => undefined),
    tell: (body) => heard.push(body),
  })
  const open = [near.ask(1, ASK), near.ask(2, ASK)]
  const reason = new ServiceError('ACTOR_RESTARTING', 'account/1 is restarting')
  near.close(reason)
  near.close(new ServiceError('STOPPING', 'a second reason is not the first'))
  for (const ask of [...open, near.ask(3, ASK)]) await t.rejects(ask, reason)
  near.tell('nobody hears this')
  t.strictSame(heard, [])
})

t.test('when the other side goes away, open asks fail at once', async (t) => {
  const { near, far } = pair({ answer: () => new Promise(() => undefined) })
  const open = near.ask('x', ASK)
  setImmediate(() => end(far))
  await t.rejects(open, { code: 'ACTOR_RESTARTING', message: 'far is gone' })
})

t.test('what was told before the close still arrives, in order', async (t) => {
  const heard: unknown[] = []
  const both = Promise.withResolvers<void>()
  const { near } = pair({
    tell: (body) => {
      if (heard.push(body) === 2) both.resolve()
    },
  })
  near.tell('first')
  near.tell('last')
  end(near)
  await both.promise
  t.strictSame(heard, ['first', 'last'])
})

t.test('everything of one turn travels as one message, answers as well', async (t) => {
  const { wire, sent, hear } = recorder()
  const link = new Link(wire, { peer: 'x', limits: { openAsksMax: 9 }, answer: (body) => body })
  const asks = [link.ask('a', ASK), link.ask('b', ASK)]
  link.tell('c')
  t.strictSame(sent, [], 'nothing is sent inside of the call')
  await aTurn()
  t.match(sent, [[{ body: 'a' }, { body: 'b' }, { body: 'c', messageId: 0 }]])
  const outcome = { ok: true, value: 'fine' }
  const answer = { version: PROTOCOL_VERSION, type: 'answer', to: 'x', outcome }
  const calls = (sent[0] ?? []).slice(0, 2)
  hear(encode([...calls.map(({ messageId }) => ({ ...answer, messageId })), ...calls]))
  t.strictSame(await Promise.all(asks), ['fine', 'fine'])
  while (sent.length < 2) await aTurn()
  t.match(sent[1], [{ type: 'answer' }, { type: 'answer' }])
  end(link)
})

t.test(
  'what one cause brings about travels as one message, through promises as well',
  async (t) => {
    const { wire, sent } = recorder()
    const link = new Link(wire, { peer: 'x', limits: { openAsksMax: 9 } })
    link.tell('first')
    void Promise.resolve()
      .then(() => link.tell('second'))
      .then(() => link.tell('third'))
    await aTurn()
    t.match(sent, [[{ body: 'first' }, { body: 'second' }, { body: 'third' }]])
    end(link)
  },
)

t.test(
  'a gathering line waits for the other callbacks of the turn, and for nothing else',
  async (t) => {
    const { wire, sent } = recorder()
    const link = new Link(wire, { peer: 'x', limits: { openAsksMax: 9 }, isGathering: true })
    await new Promise<void>((resolve) => {
      // Two timers may be due in two turns; these are of one.
      setImmediate(() => link.tell('one callback'))
      setImmediate(() => {
        link.tell('another')
        resolve()
      })
    })
    await aTurn()
    t.match(sent, [[{ body: 'one callback' }, { body: 'another' }]])
    link.tell('last')
    end(link)
    t.match(sent[1], [{ body: 'last' }], 'the end waits for nothing')
  },
)

t.test('envelopes of another version are not understood, and not answered', async (t) => {
  const { wire, sent, hear } = recorder()
  const heard: unknown[] = []
  const limits = { openAsksMax: 1 }
  const link = new Link(wire, { peer: 'x', limits, tell: (body) => heard.push(body) })
  const version = PROTOCOL_VERSION + 1
  hear(encode([{ version, type: 'call', messageId: 0, body: 'from the future' }]))
  await aTurn()
  t.strictSame([heard, sent], [[], []])
  end(link)
})

for (const [what, bytes] of [
  ['truncated bytes', encode(['x'.repeat(100)]).subarray(0, 50)],
  ['something else than envelopes', encode({ hello: 'world' })],
] as const) {
  t.test(`a side that sends ${what} is not listened to any more`, async (t) => {
    const { wire, hear } = recorder()
    const link = new Link(wire, { peer: 'stranger', limits: { openAsksMax: 1 } })
    const open = link.ask('x', ASK)
    hear(bytes)
    await t.rejects(open, { code: 'INTERNAL', message: 'stranger sent what cannot be read' })
    hear(bytes)
    await t.rejects(link.ask('y', ASK), { code: 'INTERNAL' })
  })
}

t.test('a small message after a large one does not carry its memory', async (t) => {
  const { port1, port2 } = new MessageChannel()
  const sizes: number[] = []
  const both = Promise.withResolvers<void>()
  port2.on('message', (bytes: Uint8Array) => {
    if (sizes.push(bytes.buffer.byteLength) === 2) both.resolve()
  })
  const wire = portWire(port1)
  wire.send(encode('x'.repeat(1_000_000)))
  wire.send(encode('small'))
  await both.promise
  t.ok((sizes[1] ?? 0) < 16, `${sizes[1]} bytes`)
  wire.close()
})
