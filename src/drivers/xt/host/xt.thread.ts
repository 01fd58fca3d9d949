import { maskAccount } from '../../../domain/mask.ts'
import { SharedClock } from '../../../market/clock.ts'
import { type HostThreadData, type HostWatch, serveRealHost } from '../../host.ts'
import { TerminalDriver } from '../../terminal/driver.ts'
import { SidecarHost } from '../../terminal/sidecar-host.ts'
import { terminalSigns } from '../../terminal/watch.ts'
import { whereaboutsOf, type XtAccount, type XtLimits, xtSettings } from '../settings.ts'

/** Each account has a sidecar of its own, which outlives the threads of the account. */
serveRealHost<XtAccount, XtLimits>('xt', (surroundings) => ({
  lingerMs: surroundings.limits.xt.linger_ms,
  watch: watchOf(surroundings),
  connect: (account, log) => {
    const clock = new SharedClock(surroundings.market)
    const accountId = account.account_id
    const { plan } = xtSettings(surroundings, account)
    const whereabouts = whereaboutsOf(plan, [[accountId, maskAccount(accountId)]])
    const host = new SidecarHost({ whereabouts, limits: plan.limits, log })
    return {
      driver: (owner) => {
        const { accountType, clientPath, limits } = xtSettings(surroundings, owner.account)
        return new TerminalDriver({
          accountId,
          accountType,
          clientPath,
          host,
          limits,
          epoch: owner.epoch,
          log: owner.log,
          nowMs: () => clock.nowMs(),
        })
      },
      close: () => host.close(),
    }
  },
}))

function watchOf({ limits, market }: HostThreadData<XtLimits>): HostWatch | undefined {
  const signs = terminalSigns(limits.xt.terminal_look_timeout_ms)
  if (signs === undefined) return undefined
  const clock = new SharedClock(market)
  return {
    signs,
    everyMs: limits.xt.terminal_watch_ms,
    turnMs: limits.account.reconnect_turn_ms,
    nowMs: () => clock.nowMs(),
  }
}
