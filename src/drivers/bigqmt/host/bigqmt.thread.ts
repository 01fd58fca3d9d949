import { SharedClock } from '../../../market/clock.ts'
import { serveRealHost } from '../../host.ts'
import { TerminalDriver } from '../../terminal/driver.ts'
import { SidecarHost } from '../../terminal/sidecar-host.ts'
import {
  type BigqmtAccount,
  type BigqmtLimits,
  driverLimits,
  hostLimits,
  whereaboutsOf,
} from '../settings.ts'

/** Each account has a script of its own inside its terminal, which outlives this service. */
serveRealHost<BigqmtAccount, BigqmtLimits>('bigqmt', (surroundings) => ({
  lingerMs: surroundings.limits.bigqmt.linger_ms,
  connect: (account, log) => {
    const clock = new SharedClock(surroundings.market)
    const host = new SidecarHost({
      whereabouts: whereaboutsOf(surroundings, account, 'trade'),
      limits: hostLimits(surroundings.limits),
      log,
    })
    return {
      driver: (owner) =>
        new TerminalDriver({
          accountId: owner.account.account_id,
          accountType: owner.account.account_type,
          clientPath: '', // the script is inside
          host,
          limits: driverLimits(surroundings, owner.account),
          epoch: owner.epoch,
          log: owner.log,
          nowMs: () => clock.nowMs(),
        }),
      close: () => host.close(),
    }
  },
}))
