import type { z } from 'zod'
import type { Resource } from '../../src/protocol/account.ts'
import { dataAnswer, statusAnswer, v1Answer } from '../answers/envelope.ts'
import { json, jsonBytes, type Reply } from '../message/reply.ts'
import type { HttpRequest } from '../message/request.ts'
import type { AccountLink } from '../port/service.ts'
import { type FrontContext, statusReply, timestampOf, v1Reply } from './context.ts'
import { readStamped, readWhole } from './read-model.ts'

/** What is around the fields of an answer: its shape for the description, and the answer itself. */
export interface Envelope {
  readonly answer: <S extends z.ZodRawShape>(fields: z.ZodObject<S>) => z.ZodType
  readonly reply: (fields: object) => Reply
  /** The same for data whose names are no fields: a map by codes, a list; `beside` stands next to it. */
  readonly dataAnswer: (data: z.ZodType, beside?: z.ZodRawShape) => z.ZodType
  readonly dataReply: (data: object, beside?: object) => Reply
  /** Fields that are finished JSON text: an object with something in it. */
  readonly textReply: (fields: Uint8Array) => Reply
  /** What the account publishes finished, envelope and all: each envelope has its own. */
  readonly read: (
    published: { readonly status: Resource; readonly v1: Resource },
    link: AccountLink,
    request: HttpRequest,
  ) => Reply | Promise<Reply>
}

/** The `status` family: fields at top level, the same again under `data`, and the time. */
export const statusEnvelope = (context: FrontContext): Envelope => ({
  answer: statusAnswer,
  reply: (fields) => statusReply(context, fields),
  dataAnswer,
  dataReply: (data, beside) =>
    json(200, { status: 'success', data, ...beside, timestamp: timestampOf(context) }),
  textReply: (fields) => {
    const parts = [
      Buffer.from('{"status":"success",'),
      fields.subarray(1, -1), // without its braces
      Buffer.from(',"data":'),
      fields,
      Buffer.from(`,"timestamp":"${timestampOf(context)}"}`),
    ]
    return jsonBytes(200, Buffer.concat(parts))
  },
  read: ({ status }, link, request) => readStamped(context, link, status, request),
})

/** That of `/api/v1`. */
export const v1Envelope = (context: FrontContext): Envelope => ({
  answer: v1Answer,
  reply: (fields) => v1Reply(fields),
  dataAnswer: v1Answer,
  dataReply: (data, beside) => json(200, { success: true, data, ...beside, error: null }),
  textReply: (fields) => {
    const [begin, end] = [Buffer.from('{"success":true,"data":'), Buffer.from(',"error":null}')]
    return jsonBytes(200, Buffer.concat([begin, fields, end]))
  },
  read: ({ v1 }, link, request) => readWhole(context, link, v1, request),
})
