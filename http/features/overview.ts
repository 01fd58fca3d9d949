import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { clusterFields, placeFields } from '../answers/cluster.ts'
import { clusterBeside, consoleRow, overviewRow } from '../answers/overview.ts'
import { within } from '../desk/context.ts'
import type { DirectContext } from '../direct/context.ts'
import { accountsOf, type GatewayContext } from '../gateway/context.ts'
import { objectOrEmpty } from '../gateway/probe.ts'
import { faultOf } from '../message/in-both.ts'
import type { HttpRequest } from '../message/request.ts'
import type { Route } from '../message/routes.ts'
import type { AccountLink, ConsolePlace } from '../port/service.ts'
import type { Feature, Mount } from './feature.ts'

/** How all accounts stand, in one answer: for whoever watches them, and for going from one to the other. */
export const overview: Feature = (on) => [on.backend === 'gateway' ? allOf(on) : consolesOf(on)]

const allOf = (on: GatewayContext): Route =>
  on.common.route({
    method: 'GET',
    path: '/overview',
    scope: 'view',
    confinesItself: true,
    summary: '各账户一览：当日盈亏、止损距离、告警 (how all accounts stand)',
    answer: on.common.envelope.answer(
      z.object({ accounts: z.array(overviewRow), ...clusterBeside }),
    ),
    handle: async ({ request }) => {
      const links = accountsOf(on, request.caller)
      const places = await placesOf(on, request)
      const accounts = await Promise.all(
        links.map(async (link) => places.beside(await rowOf(on, link, request))),
      )
      return on.common.envelope.reply({ accounts, ...places.cluster })
    },
  })

const consolesOf = (on: DirectContext): Route =>
  on.common.route({
    method: 'GET',
    path: '/consoles',
    scope: 'view',
    summary:
      '本机各账户及其操作台端口 (the accounts of this computer and where their consoles are)',
    answer: on.common.envelope.answer(
      z.object({ accounts: z.array(consoleRow), ...clusterBeside }),
    ),
    handle: async ({ request }) => {
      const places = await on.service.consoles(on.limits.overviewTimeoutMs)
      // A token of some accounts shows no others; each of them is behind a door of its own.
      const shown = places.filter(
        ({ accountId }) => request.caller?.accounts?.has(accountId) ?? true,
      )
      const run = await placesOf(on, request)
      const accounts = await Promise.all(
        shown.map(async (place) => run.beside(await consoleOf(on, place, request))),
      )
      return on.common.envelope.reply({ accounts, ...run.cluster })
    },
  })

async function consoleOf(on: DirectContext, place: ConsolePlace, request: HttpRequest) {
  const { accountId, alias, isHere, port } = place
  const link = on.service.find(accountId)
  const row = link === undefined ? NOT_HERE : await rowOf(on, link, request)
  return {
    ...row,
    account_id: accountId,
    alias,
    is_this: accountId === on.accountId,
    is_here: isHere,
    port: port ?? null,
  }
}

const NOT_HERE = { is_reduced: false, fault: null, overview: null }

/** One account that cannot answer in time says so, and holds up none of the others. */
async function rowOf({ limits }: Mount, link: AccountLink, request: HttpRequest) {
  const { accountId, alias, isReduced } = link
  const told = await toldBy(link, limits.overviewTimeoutMs, request)
  return { account_id: accountId, alias, is_reduced: isReduced, ...told }
}

/** In a cluster: who runs each account, and the nodes. */
async function placesOf({ service, sees }: Mount, request: HttpRequest) {
  const view = await service.cluster?.view()
  const places = new Map(view?.places.map((one) => [one.accountId, { place: placeFields(one) }]))
  return {
    cluster: view && { cluster: clusterFields(view, sees(request)) },
    beside: <T extends { readonly account_id: string }>(row: T) => ({
      ...row,
      ...places.get(row.account_id),
    }),
  }
}

async function toldBy(link: AccountLink, timeoutMs: number, request: HttpRequest) {
  try {
    const { bytes } = await link.read('overview', within(timeoutMs, request))
    const overview = objectOrEmpty(JSON.parse(Buffer.from(bytes).toString('utf8')))
    return { fault: null, overview }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { fault: faultOf(error), overview: null }
  }
}
