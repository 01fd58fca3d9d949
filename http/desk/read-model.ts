import { exchangeTime } from '../../src/domain/exchange-time.ts'
import type { Published, Resource } from '../../src/protocol/account.ts'
import { jsonBytes, type Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import { hasAlready, notModified, tagOf, weakTagOf } from '../message/validators.ts'
import type { AccountLink } from '../port/service.ts'
import { type FrontContext, within } from './context.ts'

const SECOND_MS = 1_000

interface Stamped {
  /** Whole seconds since the epoch: the time is shown no finer. */
  readonly second: number
  readonly reply: Reply
}

/** The newest answer made of each read model: everybody who asks within one second gets the same. */
const STAMPED = new WeakMap<Published, Stamped>()
/** The answer made of each read model whose bytes are the whole answer. */
const WHOLE = new WeakMap<Published, Reply>()

/** Bytes that end before the time, and the time: a whole JSON object. */
function withTimestamp(published: Published, nowMs: number): Reply {
  const second = Math.floor(nowMs / SECOND_MS)
  const known = STAMPED.get(published)
  if (known?.second === second) return known.reply
  const time = Buffer.from(`,"timestamp":"${exchangeTime(nowMs)}"}`)
  const bytes = Buffer.concat([published.bytes, time])
  const reply = jsonBytes(200, bytes, { ETag: weakTagOf(published) })
  STAMPED.set(published, { second, reply })
  return reply
}

/** The read model with its time, or nothing for a client that has it already. */
function stamped(published: Published, nowMs: number, request: HttpRequest): Reply {
  return hasAlready(request, published)
    ? notModified(weakTagOf(published))
    : withTimestamp(published, nowMs)
}

function whole(published: Published, request: HttpRequest): Reply {
  if (hasAlready(request, published)) return notModified(tagOf(published))
  const known = WHOLE.get(published)
  if (known !== undefined) return known
  const reply = jsonBytes(200, published.bytes, { ETag: tagOf(published) })
  WHOLE.set(published, reply)
  return reply
}

/** The answer in the same turn when the read model is there, else when it has come. */
function whenRead(
  context: FrontContext,
  asked: { readonly link: AccountLink; readonly resource: Resource; readonly request: HttpRequest },
  answer: (published: Published) => Reply,
): Reply | Promise<Reply> {
  const { link, resource, request } = asked
  const published = link.read(resource, within(context.limits.readTimeoutMs, request))
  return published instanceof Promise ? published.then(answer) : answer(published)
}

/** A resource of direct mode as it is answered. */
export function readStamped(
  context: FrontContext,
  link: AccountLink,
  resource: Resource,
  request: HttpRequest,
): Reply | Promise<Reply> {
  return whenRead(context, { link, resource, request }, (published) =>
    stamped(published, context.clock.nowMs(), request),
  )
}

/** A resource whose bytes are the whole answer. */
export function readWhole(
  context: FrontContext,
  link: AccountLink,
  resource: Resource,
  request: HttpRequest,
): Reply | Promise<Reply> {
  return whenRead(context, { link, resource, request }, (published) => whole(published, request))
}

/** Text that is not an integer counts as absent, as clients are used to. */
const parseVersion = (text: string | undefined, absent: number): number =>
  text !== undefined && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : absent

const NO_POSITIONS = '{"positions":[],"metrics":{},"positions_all":[]}'

/** `GET /api/positions?version=`: nothing new when the client is at or above the current version. */
const positionsUnchanged = (published: Published, version: string | undefined): boolean =>
  parseVersion(version, -1) >= published.dataVersion

/** `GET /api/positions-all?version=`: as above, but version 0 and below always get data. */
function positionsAllUnchanged(published: Published, version: string | undefined): boolean {
  const known = parseVersion(version, 0)
  return known > 0 && known >= published.dataVersion
}

const unchanged = (data: string, { dataVersion }: Published, nowMs: number): Reply =>
  jsonBytes(
    200,
    `{"status":"success","data":${data},"data_version":${dataVersion},"no_change":true,"timestamp":"${exchangeTime(nowMs)}"}`,
  )

/** The positions resource, or the short answer when the client has seen this version. */
export function readPositions(
  context: FrontContext,
  link: AccountLink,
  resource: 'positions' | 'positionsAll',
  { request, version }: { request: HttpRequest; version: string | undefined },
): Reply | Promise<Reply> {
  return whenRead(context, { link, resource, request }, (published) => {
    const nowMs = context.clock.nowMs()
    if (resource === 'positionsAll') {
      if (positionsAllUnchanged(published, version)) return unchanged('[]', published, nowMs)
    } else if (positionsUnchanged(published, version)) {
      return unchanged(NO_POSITIONS, published, nowMs)
    }
    return stamped(published, nowMs, request)
  })
}
