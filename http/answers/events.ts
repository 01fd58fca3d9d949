import { z } from 'zod'
import type { StreamDoc } from '../routes.ts'
import { money, time } from './envelope.ts'

/** What stands behind `data: ` (docs/domain.md 10.4). An account that cannot be asked sends `error` alone. */
const streamEvent = z
  .object({
    timestamp: time,
    account_info: z
      .object({
        available: money.describe('cash that may be spent, yuan'),
        market_value: money,
        total_asset: money,
      })
      .optional(),
    monitoring: z
      .object({
        isMonitoring: z.boolean().describe('ENABLE_AUTO_OPERATION, the master switch'),
        autoTradingEnabled: z.boolean(),
        gridTradingEnabled: z.boolean(),
        allowBuy: z.boolean(),
        allowSell: z.boolean(),
        simulationMode: z.boolean(),
      })
      .optional(),
    positions_update: z
      .object({
        version: z.int().describe('data_version of the positions'),
        changed: z.boolean().describe('since the event before on this stream: read the positions'),
      })
      .optional(),
    error: z
      .string()
      .optional()
      .describe('why the account cannot be asked now; the stream goes on'),
  })
  .meta({ id: 'StreamEvent' })

/** How the event stream of direct mode is to be read. */
export const eventStream: StreamDoc = {
  event: streamEvent,
  description: [
    'UTF-8 的 Server-Sent Events：事件没有名字（没有 event: 行），data 为一行 JSON，即 contentSchema；内容有变化时即发，没有变化时每 5 秒也重发一次。',
    'Server-Sent Events in UTF-8. Events have no name (no `event:` line); `data` is one line of JSON, the contentSchema, sent when something has changed, and again when nothing has for 5 seconds, so that a silent stream is a dead one.',
    'Behind each event its `id` follows in a block of its own, so that a reader of data alone reads whole blocks. Sent back as Last-Event-ID (browsers do so by themselves) the stream goes on with what came after it, else with the newest event.',
    'Lines that begin with a colon are comments. No `retry:` is sent: reconnect after a few seconds, and after 429 or 503 when Retry-After says. A reader that stays behind misses events, then is closed; each event is whole, so nothing is lost by that.',
  ].join('\n\n'),
  example: `data: ${JSON.stringify({
    timestamp: '2026-08-11 10:00:01',
    account_info: { available: 964_890, market_value: 35_110, total_asset: 1_000_000 },
    monitoring: {
      isMonitoring: true,
      autoTradingEnabled: true,
      gridTradingEnabled: false,
      allowBuy: true,
      allowSell: true,
      simulationMode: false,
    },
    positions_update: { version: 58, changed: true },
  })}\n\nid: 5f1d3a90c2b4-17\n\n`,
}
