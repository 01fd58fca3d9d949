import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that Linux, macOS and Windows choose themselves, for a listener or a connection. */
const FIRST = 20_000
/** Processes that run at the same time have numbers close to each other, and so ports of their own. */
const BLOCKS = 200
const BLOCK = 60

const home = FIRST + (process.pid % BLOCKS) * BLOCK
let taken = 0

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

/**
 * Ports for who must be told one before it listens. One that the system chose for a listener that was closed
 * again it may give to any other process meanwhile: these it gives to nobody.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = []
  for (let tries = 0; found.length < count; tries++) {
    if (tries > BLOCK) throw new Error(`no free port from ${home} to ${home + BLOCK - 1}`)
    const port = home + (taken++ % BLOCK)
    if (await isFree(port)) found.push(port)
  }
  return found
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}
