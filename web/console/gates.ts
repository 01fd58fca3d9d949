import { attemptConfirmed } from './act.ts'
import type { useDesk } from './desk.ts'
import { t } from './texts.ts'

type Desk = ReturnType<typeof useDesk>
export type GateName = 'master' | 'stopProfit' | 'grid' | 'allowBuy' | 'allowSell'

const PARAMETER = {
  stopProfit: 'globalAllowBuySell',
  grid: 'globalAllowGridTrading',
  allowBuy: 'allowBuy',
  allowSell: 'allowSell',
} as const

/** Turns a gate of the account after a question; what the service then says is what is shown. */
export async function turnGate(desk: Desk, name: GateName, on: boolean): Promise<void> {
  const gate = t(`gate.${name}`)
  await attemptConfirmed(
    {
      title: t(on ? 'gate.on.title' : 'gate.off.title', { gate }),
      changes: [t(`gate.${name}.${on ? 'on' : 'off'}`)],
      keeps: [t('gate.keeps')],
      confirm: t('word.confirm'),
      isDanger: on && name !== 'allowSell' && desk.mode === 'live',
    },
    () =>
      name === 'master'
        ? desk.post<object>(`/api/monitor/${on ? 'start' : 'stop'}`)
        : desk.post<object>('/api/config/save', { [PARAMETER[name]]: on }),
    { refresh: () => Promise.all([desk.live?.status.refresh(), desk.live?.config.refresh()]) },
  )
}
