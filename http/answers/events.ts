import { z } from 'zod'
import type { StreamDoc } from '../message/routes.ts'
import { auditEntry } from './audit-entry.ts'
import { money, time } from './envelope.ts'
import { number } from './orders.ts'

/** An order that nobody knew the fate of. */
const settledOrder = z
  .object({
    client_order_id: z.string(),
    order_id: number.nullable().describe('null: the trading client never had it'),
    outcome: z
      .enum(['accepted', 'rejected', 'unknown'])
      .describe('as the answer to the order says it'),
    state: z.string().describe('as the row of the order has it'),
    message: z.string().describe('of the trading client'),
    stock_code: z.string().describe('6 digits; with its exchange where these name another stock'),
    settled_at: time,
  })
  .meta({ id: 'SettledOrder' })

/** What stands behind `data: ` (docs/domain.md 10.4). An account that cannot be asked sends `error` alone. */
const streamEvent = z
  .object({
    timestamp: time,
    account_info: z
      .object({
        available: money.describe('cash that may be spent, yuan'),
        market_value: money,
        total_asset: money,
        frozen_cash: money.describe('kept by the broker for open purchases, yuan'),
        is_known: z
          .boolean()
          .describe('the trading client has reported; else the amounts are zeros'),
        is_total_known: z
          .boolean()
          .describe(
            'false also while a holding has no price, or a fill is not yet in both reports',
          ),
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
    settled_orders: z
      .array(settledOrder)
      .optional()
      .describe(
        'what has become of orders that were in doubt, for some minutes, the newest last; absent: none',
      ),
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
    account_info: {
      available: 964_890,
      market_value: 35_110,
      total_asset: 1_000_000,
      frozen_cash: 0,
      is_known: true,
      is_total_known: true,
    },
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

const changeEvent = z
  .object({
    timestamp: time,
    account_id: z.string().optional(),
    connected: z.boolean().optional(),
    ready: z.boolean().optional().describe('compared with the trading client: orders may be sent'),
    simulation_mode: z.boolean().nullable().optional(),
    orders: z.string().optional().describe('ETag of GET …/orders'),
    trades: z.string().optional().describe('ETag of GET …/trades'),
    positions_update: z
      .object({
        version: z.int().describe('rises with every change of the positions'),
        changed: z.boolean().describe('since the event before on this stream: read the positions'),
      })
      .optional(),
    journal_seq: z
      .int()
      .optional()
      .describe(
        'number of the last entry of the journal (GET …/audit) up to which nothing is missing',
      ),
    entries: z
      .array(auditEntry)
      .optional()
      .describe(
        'what was journaled since the event before on this stream, or since Last-Event-ID: each once and in order, without the highs and stop prices that the market moves by itself; absent: nothing',
      ),
    resync: z
      .literal(true)
      .optional()
      .describe(
        'entries were missed that cannot be told here: read the lists, and GET …/audit?after= for what they were',
      ),
    error: z
      .string()
      .optional()
      .describe('why the account cannot be asked now; the stream goes on'),
  })
  .meta({ id: 'AccountChange' })

/** How the event stream of an account at the gateway is to be read. */
export const accountStream: StreamDoc = {
  event: changeEvent,
  description: [
    '与直连模式的事件流同样的格式与节奏。事件说明哪些内容变了：orders、trades 是对应查询的 ETag，与手中的不同再去读取；entries 是此后的日志（委托、成交等），每条一次、按顺序。',
    'Same form and rhythm as the event stream of direct mode: an event when something has changed, and again after 5 seconds without a change, so that a silent stream is a dead one. Events tell what has changed: `orders` and `trades` are the ETags of those lists, to be read when they differ from what you have; `entries` is what was journaled since (orders, fills and all else), each entry once and in order, and only what is kept on disk, in a cluster by most of its servers.',
    '每个事件之后单独一段给出 id，即日志位置。断线后以 Last-Event-ID 送回，可由任何网关接上，账户换了电脑也一样；缺的补不上时（默认超过 500 条）事件带 resync：重新读取各列表，经过可查 GET …/audit。',
    'Behind each event its `id` follows in a block of its own: a place in the journal. Sent back as Last-Event-ID, at this or at any other gateway, the stream goes on with what came after it, also when the account has moved to another computer. Where what was missed cannot be told (by default more than 500 entries, or other books) the event says `resync`: read the lists; GET …/audit has what happened. An event with `error` has no id, and takes nothing from what follows. Do not rely on the stream alone: read the lists now and then.',
  ].join('\n\n'),
  example: `data: ${JSON.stringify({
    timestamp: '2026-08-11 10:00:01',
    account_id: '10000001',
    connected: true,
    ready: true,
    simulation_mode: false,
    orders: '"9f86d081884c7d659a2feaa0c55ad015"',
    trades: '"60303ae22b998861bce3b28f33eec1be"',
    positions_update: { version: 58, changed: true },
    journal_seq: 1_204,
    entries: [
      {
        seq: 1_204,
        time: '2026-08-11 10:00:01',
        epoch: 3,
        kind: 'orderMoved',
        source: 'broker',
        summary: '委托 01J00000000000000000000001 已接受 (accepted)',
        summary_zh: '委托 01J00000000000000000000001 已接受',
        summary_en: 'accepted',
        body: { clientOrderId: '01J00000000000000000000001', event: 'accept', orderId: '1082131' },
        hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        previous: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
      },
    ],
  })}\n\nid: 1204-9f86d081\n\n`,
}
