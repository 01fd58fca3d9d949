import t from 'tap'
import {
  checklist,
  type ItemName,
  isAnythingToDo,
  type Said,
} from '../../web/console/first-start.ts'
import type { Schemas } from '../../web/shared/api.ts'

const limit = (name: Schemas['RiskLimits']['limits'][number]['name'], value: number | boolean) => ({
  name,
  value,
  file_value: 0,
  changed_at: null,
  changed_by: null,
})
const limits = (loss: number, value: number): Schemas['RiskLimits'] => ({
  is_real: false,
  limits: [
    limit('max_daily_loss', loss),
    limit('max_order_value', value),
    limit('refuse_duplicates', false),
  ],
})
const GOOD: Said = {
  service: { backup: 'scheduled', autostart: true, access: 'loopback' },
  limits: limits(20_000, 50_000),
  holdings: [{ stop_loss_price: 32.5, stop_profit_enabled: true }],
  clockOff: 0,
  alerts: { way: 'sound', hasLeave: false, areDeclined: false },
}
const NOTHING: Said = {
  service: undefined,
  limits: undefined,
  holdings: undefined,
  clockOff: undefined,
  alerts: { way: 'off', hasLeave: false, areDeclined: false },
}
const stateOf = (said: Partial<Said>, name: ItemName) =>
  checklist({ ...GOOD, ...said }).find((item) => item.name === name)?.state

t.test('all done shows nothing, and so does what nobody has said', async (t) => {
  t.notOk(isAnythingToDo(checklist(GOOD)))
  t.ok(checklist(GOOD).every(({ state }) => state === 'done'))
  const unsaid = checklist(NOTHING).filter(({ name }) => name !== 'alerts')
  t.ok(unsaid.every(({ state }) => state === 'unknown'))
  t.notOk(isAnythingToDo(unsaid))
  t.ok(isAnythingToDo(checklist({ ...NOTHING, clockOff: 61 })))
})

t.test('each item is judged from what was said of it', async (t) => {
  const service = { backup: 'scheduled', autostart: true, access: 'token' } as const
  const held = { stop_loss_price: 32.5, stop_profit_enabled: true }
  for (const [said, name, state] of [
    [{ service: { ...service, backup: 'none' } }, 'backup', 'todo'],
    [{ service: { ...service, backup: null } }, 'backup', 'unknown'],
    [{ service }, 'access', 'done'],
    [{ service: { ...service, access: 'loopback' } }, 'access', 'done'],
    [{ service: { ...service, access: 'open' } }, 'access', 'todo'],
    [{ service: { ...service, access: null } }, 'access', 'unknown'],
    [{ service: { ...service, autostart: null } }, 'autostart', 'unknown'],
    [{ limits: limits(0, 50_000) }, 'limits', 'todo'],
    [{ limits: limits(20_000, 0) }, 'limits', 'todo'],
    [{ limits: { is_real: true, limits: [] } }, 'limits', 'unknown'],
    [{ holdings: [] }, 'stops', 'done'],
    [{ holdings: [held, { ...held, stop_loss_price: 0 }] }, 'stops', 'todo'],
    [{ holdings: [held, { ...held, stop_loss_price: null }] }, 'stops', 'todo'],
    [{ holdings: [{ ...held, stop_profit_enabled: false }] }, 'stops', 'todo'],
    [{ holdings: undefined }, 'stops', 'unknown'],
    [{ clockOff: 61 }, 'clock', 'todo'],
    [{ clockOff: null }, 'clock', 'unknown'],
    [{ alerts: { way: 'off', hasLeave: true, areDeclined: false } }, 'alerts', 'todo'],
    [{ alerts: { way: 'off', hasLeave: false, areDeclined: true } }, 'alerts', 'done'],
    [{ alerts: { way: 'desktop', hasLeave: false, areDeclined: false } }, 'alerts', 'todo'],
    [{ alerts: { way: 'desktop', hasLeave: true, areDeclined: false } }, 'alerts', 'done'],
    [{ alerts: { way: 'both', hasLeave: false, areDeclined: false } }, 'alerts', 'done'],
  ] as const satisfies readonly (readonly [Partial<Said>, ItemName, string])[]) {
    t.equal(stateOf(said, name), state, `${name} is ${state}`)
  }
})

t.test('what is mended on a page names its screen', async (t) => {
  const to = Object.fromEntries(checklist(GOOD).map((item) => [item.name, item.to]))
  t.strictSame(to, {
    backup: undefined,
    access: 'settings',
    limits: 'settings',
    stops: 'positions',
    clock: 'risk',
    autostart: undefined,
    alerts: 'settings',
  })
})
