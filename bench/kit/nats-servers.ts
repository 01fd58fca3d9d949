import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** One process of nats-server. Its files outlive it, so that it can be started again. */
export interface NatsServer {
  readonly name: string
  readonly url: string
  /** What it keeps. */
  readonly folder: string
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  /** It stands still, with its connections open, until `proceed`. */
  suspend(): void
  proceed(): void
  /** It tells its clients to go elsewhere, and ends later. */
  leave(): void
  /** Begins again with the files that are there. */
  start(): Promise<void>
}

/** Where one of them runs. */
export interface ServerPlace {
  readonly address: string
  /** Words before its command. */
  readonly before: readonly string[]
}

export interface ServersSpec {
  readonly binary: string
  readonly folder: string
  /** Two for each server: one for clients, one for the other servers. */
  readonly ports: readonly number[]
  /** How long one may take to be ready. */
  readonly patienceMs: number
  /** Of each, by its name; on loopback when left out. */
  readonly placeOf?: (name: string) => ServerPlace
}

const LOOPBACK: ServerPlace = { address: '127.0.0.1', before: [] }

interface Node {
  readonly name: string
  readonly place: ServerPlace
  readonly port: number
  readonly routePort: number
}

const LINES_SHOWN = 10

/**
 * One server, or three that form a cluster; each flushes every write, as the ones of a desk do. Nothing of them is left
 * when they cannot start, or after `end`.
 */
export async function startServers(spec: ServersSpec) {
  const { binary, folder, ports, patienceMs, placeOf = () => LOOPBACK } = spec
  const nodes = Array.from({ length: ports.length / 2 }, (_, index): Node => {
    const [port = 0, routePort = 0] = ports.slice(2 * index)
    const name = `s${index + 1}`
    return { name, place: placeOf(name), port, routePort }
  })
  const servers: NatsServer[] = nodes.map((node) => {
    const own = join(folder, node.name)
    const store = join(own, 'store')
    mkdirSync(own, { recursive: true })
    const file = join(own, 'nats.conf')
    writeFileSync(file, configuration(node, nodes, store))
    return new Server(node, { binary, file, store, patienceMs, isAlone: nodes.length === 1 })
  })
  const end = async () => {
    await Promise.all(servers.map((server) => server.kill()))
  }
  try {
    await Promise.all(servers.map((server) => server.start()))
  } catch (error) {
    await end()
    throw error
  }
  return { servers, end }
}

interface Start {
  readonly binary: string
  readonly file: string
  readonly store: string
  readonly patienceMs: number
  readonly isAlone: boolean
}

class Server implements NatsServer {
  readonly name: string
  readonly url: string
  readonly folder: string
  readonly #how: Start
  readonly #before: readonly string[]
  #child: ChildProcess | undefined

  constructor(node: Node, how: Start) {
    this.name = node.name
    this.url = `nats://${node.place.address}:${node.port}`
    this.folder = how.store
    this.#before = node.place.before
    this.#how = how
  }

  async start(): Promise<void> {
    const { binary, file, isAlone, patienceMs } = this.#how
    const [program = binary, ...words] = [...this.#before, binary, '-c', file]
    const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    // Where there is no leader of the cluster, nothing can be made or asked for.
    const wanted = isAlone ? /Server is ready/ : /new (?:JetStream cluster )?metadata leader/
    const said = Promise.withResolvers<void>()
    const lines: string[] = []
    const fail = (what: string) =>
      said.reject(new Error(`${this.name} ${what}:\n${lines.slice(-LINES_SHOWN).join('\n')}`))
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (wanted.test(line)) said.resolve()
      if (lines.push(line) > LINES_SHOWN) lines.shift()
    })
    child.on('error', (error) => fail(error.message))
    child.on('exit', () => fail('ended'))
    const timer = setTimeout(() => fail('is not ready'), patienceMs)
    await said.promise.finally(() => clearTimeout(timer))
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const end = once(child, 'exit')
    child.kill('SIGKILL')
    await end
  }

  suspend(): void {
    this.#child?.kill('SIGSTOP')
  }

  proceed(): void {
    this.#child?.kill('SIGCONT')
  }

  leave(): void {
    this.#child?.kill('SIGUSR2')
  }
}

function configuration(node: Node, all: readonly Node[], store: string): string {
  const lines = [
    `server_name: ${node.name}`,
    `listen: ${node.place.address}:${node.port}`,
    'lame_duck_grace_period: 1ms',
    `jetstream { store_dir: ${JSON.stringify(store)}, max_mem: 64MB, max_file: 1GB, sync_interval: always }`,
  ]
  const others = all.filter(({ name }) => name !== node.name)
  if (others.length > 0) {
    const routes = others.map(({ place, routePort }) => `nats://${place.address}:${routePort}`)
    lines.push(
      `cluster { name: test, listen: ${node.place.address}:${node.routePort}, routes: [${routes.join(', ')}] }`,
    )
  }
  return `${lines.join('\n')}\n`
}
