import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

interface Request {
  readonly id: number
  readonly m: string
  readonly a: Readonly<Record<string, unknown>>
}

const OWNER = '10000001'
const ASSET = { account_id: OWNER, cash: 1e6, frozen_cash: 0, market_value: 0, total_asset: 1e6 }

/** What the stand-in for xtquant speaks to: takes every order at once, quotes what it is told to. */
export class BenchTerminal {
  readonly clientPath: string
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #orders = 0

  private constructor(folder: string, server: Server, port: number) {
    this.clientPath = join(folder, 'userdata_mini')
    this.port = port
    this.#server = server
    mkdirSync(this.clientPath, { recursive: true })
    writeFileSync(join(this.clientPath, 'terminal.json'), JSON.stringify({ port }))
    server.on('connection', (socket) => this.#welcome(socket))
  }

  static async open(folder: string): Promise<BenchTerminal> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('no port')
    return new BenchTerminal(folder, server, address.port)
  }

  push(name: string, d: object): void {
    for (const socket of this.#sockets) send(socket, { push: name, d })
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #welcome(socket: Socket): void {
    socket.setNoDelay(true)
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    const lines = createInterface({ input: socket })
    lines.on('error', () => undefined)
    lines.on('line', (line) => this.#serve(socket, JSON.parse(line) as Request))
  }

  #serve(socket: Socket, { id, m, a }: Request): void {
    if (m !== 'order') return send(socket, { id, r: answerOf(m) })
    this.#orders += 1
    send(socket, { id, r: this.#orders })
    const response = { account_id: OWNER, order_remark: a['order_remark'], error_msg: '' }
    const d = { ...response, order_id: String(this.#orders), seq: this.#orders }
    send(socket, { push: 'on_order_stock_async_response', d })
  }
}

function answerOf(method: string): unknown {
  if (method === 'asset') return ASSET
  if (method === 'full_tick') return {}
  return ['positions', 'orders', 'deals'].includes(method) ? [] : 0
}

function send(socket: Socket, message: object): void {
  socket.write(`${JSON.stringify(message)}\n`)
}
