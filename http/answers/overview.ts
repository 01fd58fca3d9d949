import { z } from 'zod'
import { KILL_LEVELS } from '../../src/domain/kill-level.ts'
import { inEach } from '../message/in-both.ts'
import { accountBlock, attempts, calendarNotice, holdingSums, resting } from './account.ts'
import { cluster, place } from './cluster.ts'
import { money, ratio } from './envelope.ts'

/** Why there is nothing to show of an account. */
export const fault = z
  .object({
    code: z.string(),
    message: z.string(),
    ...inEach('message'),
  })
  .meta({ id: 'AccountFault' })

const nearestStop = z.object({
  stock_code: z.string().describe('6 digits; with its exchange where these name another stock'),
  stock_name: z.string(),
  price: money,
  stop: money,
  distance: ratio.describe('(price - stop) / price, decimal ratio; negative below the stop'),
})

/** How an account stands, as it says itself. */
export const overview = z
  .object({
    driver: z.string(),
    simulation_mode: z.boolean().describe('its orders are filled here and reach no broker'),
    auto_operation: z
      .boolean()
      .optional()
      .describe(
        'ENABLE_AUTO_OPERATION, the master switch; a node of an older release does not say',
      ),
    resting,
    ready: z.boolean().describe('connected and compared with the trading client'),
    connected: z.boolean(),
    ...attempts,
    account: accountBlock,
    today: z.object({
      day: z.string(),
      pnl: money.nullable().describe('of the day until now, yuan; null = not known'),
      ratio: ratio.nullable().describe('of what was there without it'),
      method: z.enum(['holdings_and_deals', 'equity']).nullable(),
      reason: z.string().nullable().describe('why it is not known'),
    }),
    holdings: holdingSums.optional(),
    nearest_stop: nearestStop.nullable().describe('null = no holding has a stop and a price'),
    unpriced_stops: z.int().describe('holdings with a stop and without a price'),
    kill_level: z.enum(KILL_LEVELS),
    kill_level_in_force: z.enum(KILL_LEVELS),
    kill_reason: z.string(),
    ...inEach('kill_reason'),
    quiet_seconds: z.number().nullable().describe('since the last quote of a holding'),
    quiet_limit_seconds: z.number().describe('from which on quotes are stale; 0 = never'),
    is_in_session: z.boolean(),
    calendar_notice: calendarNotice,
    reconcile: z.enum(['ok', 'differences', 'unavailable', 'pending']),
    differences: z.int().describe('of the last comparison'),
    orders_in_doubt: z.int(),
    restore_waits: z.boolean().describe('a restore waits for the word of a person'),
    open_orders: z.int(),
  })
  .meta({ id: 'AccountOverview' })

const ownPlace = place.optional().describe('in a cluster only')

/** An account in a list of how all of them stand. */
export const overviewRow = z
  .object({
    account_id: z.string(),
    alias: z.string().describe('what people call it; empty = nothing'),
    is_reduced: z.boolean().describe('crashed too often: reads, cancels and the kill switch alone'),
    fault: fault.nullable().describe('why it said nothing'),
    overview: overview.nullable(),
    place: ownPlace,
  })
  .meta({ id: 'OverviewRow' })

/** The same where one may go to the console of each. */
export const consoleRow = z
  .object({
    account_id: z.string(),
    alias: z.string(),
    is_this: z.boolean().describe('the account of the address that was asked'),
    is_here: z.boolean().describe('served by this process; else perhaps by another one'),
    port: z.int().nullable().describe('of its console on this computer; null = not known'),
    is_reduced: z.boolean(),
    fault: fault.nullable(),
    overview: overview.nullable(),
    place: ownPlace,
  })
  .meta({ id: 'ConsoleRow' })

/** Beside either list, in a cluster. */
export const clusterBeside = { cluster: cluster.optional().describe('in a cluster only') }
