import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { bareCode, type StockCode } from '../../../src/domain/instrument.ts'
import { type Price, type Quantity, toYuan } from '../../../src/domain/money.ts'
import { ORDER_TYPE, sideOf } from '../../../src/domain/order.ts'
import type { DriverCommand, DriverEvent } from '../../../src/protocol/driver.ts'
import { Witness } from '../../contract/driver.ts'
import { oneThousandShares, SH } from '../fixtures/paper.ts'
import { PaperRig } from '../fixtures/paper-rig.ts'
import { ACCOUNT } from './peer.ts'

interface Body {
  readonly stock_code: string
  readonly order_type: number
  readonly order_volume: number
  readonly price_type: number
  readonly price: number
}

/** A gateway with the columns that existing clients read and not one field more, straight at a paper client. */
export class ForeignPeer {
  readonly #paper: PaperRig
  readonly #witness: Witness
  readonly #server: Server
  readonly #answering = new Set<Promise<void>>()
  #count = 0

  private constructor(folder: string) {
    this.#paper = new PaperRig(folder, oneThousandShares())
    this.#witness = new Witness(this.#paper.driver())
    this.#server = createServer(async (request, response) => {
      const answering = this.#serve(request, response)
      this.#answering.add(answering)
      await answering.finally(() => this.#answering.delete(answering))
    })
  }

  static async open(folder: string): Promise<ForeignPeer> {
    const peer = new ForeignPeer(folder)
    await peer.tick({ bid: 9.99, ask: 10 })
    await peer.#witness.connect()
    peer.#server.listen(0, '127.0.0.1')
    await once(peer.#server, 'listening')
    return peer
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  nowMs = (): number => this.#paper.market.nowMs()

  async tick({ bid, ask }: { bid: number; ask: number }): Promise<void> {
    const book = { last: ask, lastClose: 10, ask: [[ask, 9_000]], bid: [[bid, 9_000]] } as const
    this.#paper.market.tick(SH, book)
  }

  async close(): Promise<void> {
    this.#server.close()
    while (this.#answering.size > 0) await Promise.all(this.#answering) // a closed client answers nobody
    this.#server.closeAllConnections()
    await this.#paper.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined) // gone before it had said everything
    if (body === undefined) return
    const { status, data, error } = await this.#answer(
      `${request.method} ${request.url?.replace(`/api/v1/accounts/${ACCOUNT}`, '')}`,
      body,
    )
    const whole = { success: error === undefined, data: data ?? null, error: error ?? null }
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(status < 300 ? whole : { detail: 'Not Found' }))
  }

  async #answer(
    what: string,
    body: string,
  ): Promise<{ status: number; data?: object; error?: string }> {
    if (what === 'GET /status') return { status: 200, data: { connected: true } }
    if (what === 'POST /orders') return this.#place(JSON.parse(body) as Body)
    const [, orderId] = /^DELETE \/orders\/(\d+)$/.exec(what) ?? []
    if (orderId !== undefined) return this.#cancel(Number(orderId))
    switch (what) {
      case 'GET /orders':
        return { status: 200, data: { orders: await this.#orders() } }
      case 'GET /trades':
        return { status: 200, data: { trades: await this.#trades() } }
      case 'GET /positions':
        return { status: 200, data: { positions: await this.#positions() } }
      case 'GET /asset':
        return { status: 200, data: await this.#asset() }
      default:
        return { status: 404 }
    }
  }

  async #place(body: Body): Promise<{ status: number; data?: object; error?: string }> {
    this.#count += 1
    const command: Omit<Extract<DriverCommand, { kind: 'submit' }>, 'callId'> = {
      kind: 'submit',
      order: {
        clientOrderId: `FOREIGN${String(this.#count).padStart(19, '0')}`,
        code: body.stock_code as StockCode,
        side: sideOf(body.order_type) ?? 'buy',
        quantity: body.order_volume as Quantity,
        priceType: body.price_type,
        price: Math.round(body.price * 10_000) as Price,
        strategy: 'manual',
      },
    }
    const { outcome } = await this.#witness.answerTo('submitAnswered', this.#witness.send(command))
    if (outcome.kind !== 'accepted') return { status: 201, error: outcome.message }
    return { status: 201, data: { order_id: Number(outcome.orderId) } }
  }

  async #cancel(orderId: number): Promise<{ status: number; data: object }> {
    const callId = this.#witness.send({ kind: 'cancel', orderId: String(orderId) })
    const { result }: Extract<DriverEvent, { kind: 'cancelAnswered' }> =
      await this.#witness.answerTo('cancelAnswered', callId)
    return { status: 200, data: { result: result.ok ? 0 : -1, order_id: orderId } }
  }

  async #orders(): Promise<readonly object[]> {
    const report = await this.#witness.rows('orders')
    return (report.what === 'orders' ? report.rows : []).map((row) => ({
      账号类型: 2,
      资金账号: ACCOUNT,
      证券代码: bareCode(row.code),
      订单编号: Number(row.orderId),
      委托类型: ORDER_TYPE[row.side],
      委托数量: row.quantity,
      委托价格: toYuan(row.price),
      委托状态: row.status,
      成交数量: row.filledQuantity,
      报单时间: Math.floor(row.timeMs / 1_000),
      状态描述: row.statusMessage,
    }))
  }

  async #trades(): Promise<readonly object[]> {
    const report = await this.#witness.rows('deals')
    return (report.what === 'deals' ? report.rows : []).map((row) => ({
      账号类型: 2,
      资金账号: ACCOUNT,
      证券代码: bareCode(row.code),
      委托类型: ORDER_TYPE[row.side],
      成交编号: row.dealId,
      成交数量: row.quantity,
      成交价格: toYuan(row.price),
      成交金额: toYuan(row.amount),
    }))
  }

  async #positions(): Promise<readonly object[]> {
    const report = await this.#witness.rows('positions')
    return (report.what === 'positions' ? report.rows : []).map((row) => ({
      账号类型: 2,
      资金账号: ACCOUNT,
      证券代码: bareCode(row.code),
      股票余额: row.quantity,
      可用余额: row.sellable,
      成本价: toYuan(row.costPrice),
      证券名称: row.name,
    }))
  }

  async #asset(): Promise<object> {
    const report = await this.#witness.rows('asset')
    if (report.what !== 'asset') return {}
    const [{ available, frozen, marketValue, total }] = report.rows
    return {
      账号类型: 2,
      资金账户: ACCOUNT,
      可用金额: toYuan(available),
      冻结金额: toYuan(frozen),
      持仓市值: toYuan(marketValue),
      总资产: toYuan(total),
    }
  }
}
