import { App, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js'

const HOST = '127.0.0.1'

/** A bare listener of the socket library, for baselines only. */
export interface Bare {
  readonly port: number
  close(): void
}

type Application = ReturnType<typeof App>

function listenOn(app: Application): Promise<Bare> {
  return new Promise((resolve, reject) => {
    app.listen(HOST, 0, (socket) => {
      if (socket === false) return reject(new Error('the baseline cannot listen'))
      const port = us_socket_local_port(socket as Parameters<typeof us_socket_local_port>[0])
      resolve({
        port,
        close: () => {
          us_listen_socket_close(socket)
          app.close()
        },
      })
    })
  })
}

/** The same bytes from memory for every GET. */
export function serveBytes(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<Bare> {
  const app = App()
  const list = Object.entries(headers)
  app.get('/*', (response) => {
    response.writeStatus('200 OK')
    for (const [name, value] of list) response.writeHeader(name, value)
    response.end(body)
  })
  return listenOn(app)
}

export interface Conditional {
  readonly body: Uint8Array
  /** Of an answer with the bytes, without its tag. */
  readonly headers: Readonly<Record<string, string>>
  /** Of an answer without them, without its tag. */
  readonly unchangedHeaders: Readonly<Record<string, string>>
  /** So often the bytes count as others: no client has them any more. */
  readonly changesEveryMs: number
}

/** The same bytes for every GET, or 304 for whoever has them. Reads what has to be read of a request, and no more. */
export async function serveConditional(wanted: Conditional): Promise<Bare> {
  const app = App()
  const [whole, unchanged] = [wanted.headers, wanted.unchangedHeaders].map(Object.entries)
  let number = 1
  let tag = '"1"'
  const timer = setInterval(() => {
    tag = `"${++number}"`
  }, wanted.changesEveryMs)
  app.get('/*', (response, request) => {
    const headers = new Map<string, string>()
    request.forEach((name, value) => {
      headers.set(name, value)
    })
    const hasIt = headers.get('if-none-match') === tag
    response.writeStatus(hasIt ? '304 Not Modified' : '200 OK')
    for (const [name, value] of (hasIt ? unchanged : whole) ?? []) response.writeHeader(name, value)
    response.writeHeader('ETag', tag)
    if (hasIt) response.endWithoutBody()
    else response.end(wanted.body)
  })
  const { port, close } = await listenOn(app)
  return {
    port,
    close: () => {
      clearInterval(timer)
      close()
    },
  }
}

/** Every POST body goes to `take`; its answer, whenever it comes, goes back as JSON. */
export function servePosts(take: (body: Uint8Array) => Promise<string>): Promise<Bare> {
  const app = App()
  app.post('/*', (response) => {
    let isGone = false
    let body = new Uint8Array()
    response.onAborted(() => {
      isGone = true
    })
    response.onData((chunk, isLast) => {
      body = Buffer.concat([body, new Uint8Array(chunk)])
      if (!isLast) return
      void take(body).then((answer) => {
        if (isGone) return
        response.cork(() => {
          response.writeStatus('201 Created').writeHeader('Content-Type', 'application/json')
          response.end(answer)
        })
      })
    })
  })
  return listenOn(app)
}

/** Every GET becomes an event stream: so many bytes to each client, so often. */
export async function serveStream(bytes: number, everyMs: number): Promise<Bare> {
  const app = App()
  const clients = new Set<Parameters<Parameters<Application['get']>[1]>[0]>()
  let number = 0
  app.get('/*', (response) => {
    clients.add(response)
    response.onAborted(() => clients.delete(response))
    response.writeHeader('Content-Type', 'text/event-stream')
    response.write(': welcome\n\n')
  })
  const timer = setInterval(() => {
    const head = `id: ${++number}\ndata: `
    const event = `${head}${'x'.repeat(Math.max(1, bytes - head.length - 2))}\n\n`
    for (const response of clients) response.cork(() => response.write(event))
  }, everyMs)
  const { port, close } = await listenOn(app)
  return {
    port,
    close: () => {
      clearInterval(timer)
      close()
    },
  }
}
