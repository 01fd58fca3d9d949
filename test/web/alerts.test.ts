import t from 'tap'
import { alertsOf, fewest, type Memory, type Seen } from '../../web/shared/alerts.ts'
import type { OrderRow } from '../../web/shared/wire.ts'

const CALM: Seen = {
  accountId: '10000001',
  isAnswering: true,
  isConnected: true,
  hasQuotes: true,
  killLevel: 'off',
  orders: [],
  differences: 0,
}
const row = (more: Partial<OrderRow> = {}): OrderRow =>
  ({
    client_order_id: 'A',
    status: 50,
    state: 'accepted',
    strategy: 'manual',
    volume: 300,
    traded_volume: 0,
    ...more,
  }) as OrderRow
/** What is told of one look after another. */
function told(...looks: readonly Partial<Seen>[]): readonly (readonly string[])[] {
  let memory: Memory | undefined
  return looks.map((look) => {
    const found = alertsOf(memory, { ...CALM, ...look })
    memory = found.memory
    return found.alerts.map(({ kind, severity }) => `${severity} ${kind}`)
  })
}

t.test('what was there already is no news', async (t) => {
  const trouble = { isConnected: false, killLevel: 'all', orders: [row({ status: 57 })] } as const
  t.strictSame(told(trouble, trouble), [[], []])
})

t.test('each change is told once, as loud as it is', async (t) => {
  const cases: readonly [Partial<Seen>, Partial<Seen>, readonly string[]][] = [
    [{}, { isAnswering: false }, ['critical lost']],
    [{ isAnswering: false }, {}, ['info back']],
    [{}, { isConnected: false }, ['critical disconnected']],
    [{ isConnected: false }, {}, ['info connected']],
    [{ isRun: true }, { isRun: false }, ['critical unowned']],
    [{ isRun: false }, { isRun: true }, ['info owned']],
    [{ isRun: true }, { isRun: null }, []],
    [{}, { isRun: false }, []],
    [{ isWorking: true }, { isWorking: false }, ['critical resting']],
    [{ isWorking: false }, { isWorking: true }, ['info working']],
    [{ isWorking: true }, { isWorking: null }, []],
    [{}, { hasQuotes: false }, ['warn noQuotes']],
    [{ hasQuotes: false }, {}, []],
    [{}, { killLevel: 'entries' }, ['critical killRaised']],
    [{ killLevel: 'entries' }, { killLevel: 'cancel_all' }, ['critical killRaised']],
    [{ killLevel: 'all' }, { killLevel: 'off' }, ['info killLowered']],
    [{ differences: 3 }, { differences: 5 }, ['warn difference']],
    [{ doubts: 0 }, { doubts: 1 }, ['critical doubt']],
    [{ doubts: 1 }, { doubts: 1 }, []],
    [{}, { doubts: 2 }, []],
    [{}, { orders: [row()] }, []],
    [{}, { orders: [row({ strategy: 'stop_loss' })] }, ['critical stopSale']],
    [{ orders: [row()] }, { orders: [row({ traded_volume: 100 })] }, ['info partFilled']],
    [{ orders: [row()] }, { orders: [row({ traded_volume: 300 })] }, ['info filled']],
    [{}, { orders: [row({ traded_volume: 300, status: 56 })] }, ['info filled']],
    [{ orders: [row()] }, { orders: [row({ status: 57, state: 'rejected' })] }, ['warn rejected']],
    [{ orders: [row()] }, { orders: [row({ state: 'inDoubt' })] }, ['critical doubt']],
  ]
  for (const [before, now, expected] of cases) {
    const name = `${JSON.stringify(before)} → ${JSON.stringify(now)}`
    t.strictSame(told(before, now, now), [[], expected, []], name)
  }
})

t.test('F710 a service that comes back without its master switch says so', async (t) => {
  const on = { isMasterOn: true, isSimulation: false } as const
  const away = { isAnswering: false, isMasterOn: null, isSimulation: null } as const
  t.strictSame(told(on, away, { isMasterOn: false, isSimulation: false }), [
    [],
    ['critical lost'],
    ['info back', 'critical masterOff'],
  ])
  t.strictSame(told(on, away, { isMasterOn: true, isSimulation: true }).at(-1), [
    'info back',
    'critical simulated',
  ])
  t.strictSame(told(on, away, on).at(-1), ['info back'])
  const off = { isMasterOn: false, isSimulation: true } as const
  t.strictSame(told(off, off, on), [[], [], ['info masterOn', 'info live']])
})

t.test('what is not known for a while is compared with what was known before', async (t) => {
  const unknown = {
    isConnected: null,
    hasQuotes: null,
    killLevel: undefined,
    orders: undefined,
    differences: undefined,
  }
  t.strictSame(told({}, unknown, {}), [[], [], []], 'silence is no news')
  const after = {
    isConnected: false,
    killLevel: 'all',
    orders: [row({ traded_volume: 300 })],
  } as const
  t.strictSame(told({ orders: [row()] }, unknown, after).at(-1), [
    'critical disconnected',
    'critical killRaised',
    'info filled',
  ])
})

t.test('of many the loudest are shown, and the others counted', async (t) => {
  const { memory } = alertsOf(undefined, CALM)
  const orders = Array.from({ length: 9 }, (_, i) =>
    row({ client_order_id: String(i), traded_volume: 300 }),
  )
  const { alerts } = alertsOf(memory, { ...CALM, orders, isConnected: false })
  const { shown, left } = fewest(alerts, 3)
  t.strictSame([shown.map(({ kind }) => kind), left], [['disconnected', 'filled', 'filled'], 7])
})
