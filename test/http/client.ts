import type { IncomingHttpHeaders } from 'node:http'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { inTime } from '../in-time.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Of every shape, as it was parsed; undefined where it is no JSON. */
  readonly body: ReturnType<JSON['parse']>
}

interface CallSpec {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  /** Text is sent as it is; an object as JSON with its Content-Type. */
  readonly body?: string | object
}

/** One request over real HTTP. */
export function call(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: CallSpec = {},
): Promise<Answer> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  const type = typeof body === 'object' ? { 'Content-Type': 'application/json' } : {}
  const answered = new Promise<Answer>((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method, agent: false, headers: { ...type, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString('utf8')
          const isJson = response.headers['content-type']?.includes('application/json') ?? false
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: answer,
            body: isJson && answer !== '' ? JSON.parse(answer) : undefined,
          })
        })
      },
    )
    request.on('error', reject)
    if (text !== undefined) request.write(text)
    request.end()
  })
  return inTime(answered, `the end of the answer to ${method} ${path}`)
}

export const post = (port: number, path: string, body?: string | object): Promise<Answer> =>
  call(port, path, { method: 'POST', ...(body !== undefined && { body }) })

/** Requests over one connection, each after the head of the answer to the one before; all that comes back. */
export function inTurn(port: number, requests: readonly string[]): Promise<string> {
  const answered = new Promise<string>((resolve) => {
    let seen = ''
    let sent = 0
    const socket = connect(port, '127.0.0.1', () => next())
    const next = (): void => {
      if (sent < requests.length) socket.write(requests[sent] ?? '')
      else socket.destroy()
      sent += 1
    }
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1')
      if (seen.split('\r\n\r\n').length > sent) next()
    })
    socket.on('error', () => resolve(seen))
    socket.on('close', () => resolve(seen))
  })
  return inTime(answered, `answers to ${requests.length} requests in turn`)
}

/** Bytes to the port, and all that comes back until the other side closes or `until` is seen. */
export function raw(port: number, text: string | Uint8Array, until?: RegExp): Promise<string> {
  const answered = new Promise<string>((resolve) => {
    let seen = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const end = (): void => {
      socket.destroy()
      resolve(seen)
    }
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1')
      if (until?.test(seen)) end()
    })
    socket.on('error', end)
    socket.on('close', end)
  })
  return inTime(answered, `an answer to ${String(text).slice(0, 40)}`)
}

/** Head of a request with a body, as it stands on the wire. */
export const postHead = (path: string, extra: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${extra}\r\n`
export const JSON_TYPE = 'Content-Type: application/json\r\n'
