import t, { type Test } from 'tap'
import { NatsQuotes, type NatsQuotesLimits } from '../../../src/cluster/nats/nats-quotes.ts'
import { turnsUntil } from '../../in-time.ts'
import { connectionTo } from '../fixtures/nats-lines.ts'
import { NO_SERVERS, natsServers } from '../fixtures/nats-servers.ts'

const LIMITS: NatsQuotesLimits = { codesMax: 2, gatherMs: 1, retryMs: 10, drainMs: 1_000 }
const [BANK, INSURER, BATTERY] = ['600000.SH', '000001.SZ', '300750.SZ'] as const
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

/** A node's end, and the newest that it has heard of each code. */
function openEnd(t: Test, urls: readonly string[]) {
  const heard = new Map<string, string>()
  const wants: string[] = []
  const states: string[] = []
  let [count, opened] = [0, 0]
  const quotes = new NatsQuotes({
    settings: connectionTo(urls, { noEcho: true }),
    limits: LIMITS,
    onState: (state) => states.push(state),
  })
  t.teardown(() => quotes.close())
  quotes.open({
    quote: (code, bytes) => {
      heard.set(code, text(bytes))
      count += 1
    },
    wants: (bytes) => wants.push(text(bytes)),
    opened: () => {
      opened += 1
    },
  })
  const isOpen = () => turnsUntil(() => opened > 0, 'the servers')
  return { quotes, heard, wants, states, isOpen, count: () => count, opened: () => opened }
}

t.test('the newest quote of a code reaches who listens', { skip: NO_SERVERS }, async (t) => {
  const [server] = await natsServers(t, { count: 1 })
  const urls = [server?.url ?? '']
  const [from, to] = [openEnd(t, urls), openEnd(t, urls)]
  for (const code of [BANK, INSURER]) to.quotes.listen(code)
  from.quotes.listen(BANK)
  from.quotes.sendQuote(BANK, Buffer.from('while nobody is connected'))
  await Promise.all([from.isOpen(), to.isOpen()])
  // Nobody tells when the server has taken what a connection listens to.
  await turnsUntil(() => {
    to.quotes.sendWants(Buffer.from('both'))
    return from.wants.length > 0
  }, 'what is wanted')
  for (let price = 1; price <= 100; price++) {
    from.quotes.sendQuote(BANK, Buffer.from(`${price}`))
    from.quotes.sendQuote(INSURER, Buffer.from(`${-price}`))
  }
  from.quotes.sendQuote(BATTERY, Buffer.from('no room'))
  t.equal(from.quotes.dropped, 1)
  await turnsUntil(() => to.heard.get(BANK) === '100', 'the newest of the one')
  await turnsUntil(() => to.heard.get(INSURER) === '-100', 'the newest of the other')
  t.ok(to.count() < 100, 'many were one')

  to.quotes.ignore(BANK)
  from.quotes.sendQuote(BANK, Buffer.from('not wanted'))
  from.quotes.sendQuote(INSURER, Buffer.from('wanted'))
  await turnsUntil(() => to.heard.get(INSURER) === 'wanted', 'what is still wanted')
  t.equal(to.heard.get(BANK), '100')
  t.strictSame([from.count(), to.wants.length], [0, 0], 'nobody hears what it has said')
  t.throws(() => to.quotes.listen('600000.*'), /code/)
})

t.test('F534 what is said to an end that is closing is lost', { skip: NO_SERVERS }, async (t) => {
  const [server] = await natsServers(t, { count: 1 })
  const end = openEnd(t, [server?.url ?? ''])
  end.quotes.listen(BANK)
  await end.isOpen()
  let isClosed = false
  const closed = end.quotes.close().then(() => {
    isClosed = true
  })
  end.quotes.listen(INSURER)
  await turnsUntil(() => {
    end.quotes.sendWants(Buffer.from('too late'))
    return isClosed
  }, 'the end of the connection')
  end.quotes.listen(BATTERY)
  end.quotes.ignore(INSURER)
  await closed
})

t.test(
  'without servers quotes are lost, and afterwards they come again by themselves',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    const urls = [server?.url ?? '']
    const [from, to] = [openEnd(t, urls), openEnd(t, urls)]
    to.quotes.listen(BANK)
    await Promise.all([from.isOpen(), to.isOpen()])
    await server?.kill()
    await turnsUntil(() => !from.quotes.isOpen && !to.quotes.isOpen, 'the end of both')
    from.quotes.sendQuote(BANK, Buffer.from('lost'))
    const late = openEnd(t, urls)
    late.quotes.listen(BANK)
    await turnsUntil(() => late.states.length > 0, 'a first attempt that failed')
    await server?.start()
    await turnsUntil(() => from.opened() === 2 && to.opened() === 2, 'both to be back')
    await turnsUntil(() => late.opened() === 1, 'who began without them')
    const again = setInterval(() => from.quotes.sendQuote(BANK, Buffer.from('new')), 5)
    t.teardown(() => clearInterval(again))
    await turnsUntil(() => to.heard.get(BANK) === 'new', 'a new quote')
    await turnsUntil(() => late.heard.get(BANK) === 'new', 'a new quote at the late one')
    t.strictSame([from.opened(), to.opened(), late.opened()], [2, 2, 1])
  },
)
