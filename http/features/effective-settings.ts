import { basename } from 'node:path'
import { z } from 'zod'
import { maskSecret } from '../../src/config/effective.ts'
import { factsAt, type SettingFacts } from '../../src/config/setting-facts.ts'
import type { Setting } from '../../src/config/settings-list.ts'
import { PARAMETERS } from '../../src/domain/settings/parameters.ts'
import { dataAnswer, statusAnswer } from '../answers/envelope.ts'
import { statusReply, timestampOf } from '../desk/context.ts'
import type { DirectContext } from '../direct/context.ts'
import { type Caller, OPERATOR } from '../message/caller.ts'
import { inEach } from '../message/in-both.ts'
import { json } from '../message/reply.ts'
import type { Route } from '../message/routes.ts'
import type { Feature } from './feature.ts'
import { isOfAll, shownSettings } from './shown-settings.ts'

const shown = z.object({
  path: z.string().describe('name in the configuration file'),
  value: z.unknown().describe('a secret shows its length only'),
  source: z.string().describe('default, file, environment, command line …'),
})
const answer = statusAnswer(z.object({ settings: z.array(shown) }))

const unitText = z.string().nullable().describe('of a number; null: it counts things')
const describedSetting = z
  .object({
    ...shown.shape,
    section: z.string().describe('heading under which it stands'),
    ...inEach('text'),
    kind: z.enum(['flag', 'number', 'whole', 'choice', 'text', 'list']),
    unit_zh: unitText,
    unit_en: unitText,
    min: z.number().nullable(),
    max: z.number().nullable(),
    options: z.array(z.string()).describe('of a choice'),
    default: z.unknown().describe('null: there is none, or it depends'),
    is_dead: z.boolean().describe('accepted for existing configurations, without effect'),
    changed_by: z
      .enum(['start', 'config', 'risk'])
      .describe('file and next start; POST /api/config/save; POST /api/risk/limits'),
    parameter: z.string().nullable().describe('its name in /api/config'),
  })
  .meta({ id: 'DescribedSetting' })
const described = dataAnswer(
  z.object({
    file: z
      .string()
      .nullable()
      .describe('configuration file, its whole path for an admin of all; null: there is none'),
    settings: z.array(describedSetting),
  }),
)

/** What the process was started with, as far as it concerns the caller. Direct mode only. */
export const effectiveSettings: Feature = (on) =>
  on.backend === 'direct' ? effectiveRoutes(on) : []

const effectiveRoutes = (context: DirectContext): Route[] => [
  context.common.route({
    method: 'GET',
    path: '/settings',
    scope: 'view',
    summary:
      '生效的配置及来源，限调用者的账户 (effective settings and their source, of its accounts)',
    answer,
    handle: ({ request: { caller = OPERATOR } }) => {
      const settings = shownSettings(context.settings ?? [], caller).map(asShown)
      return statusReply(context, { settings })
    },
  }),
  context.common.route({
    method: 'GET',
    path: '/settings/described',
    scope: 'view',
    summary:
      '生效的配置及其含义、范围和改法 (effective settings with meaning, range and how each is changed)',
    answer: described,
    handle: ({ request: { caller = OPERATOR } }) =>
      json(200, {
        status: 'success',
        data: describedFor(context, caller),
        timestamp: timestampOf(context),
      }),
  }),
]

const asShown = ({ path, value, source, isSecret }: Setting) => ({
  path,
  value: isSecret ? maskSecret(String(value)) : value,
  source,
})

function describedFor({ settings = [], configFile }: DirectContext, caller: Caller) {
  const market = settings.find(({ path }) => path === 'market.source')?.value
  return {
    file: fileFor(configFile, caller),
    settings: shownSettings(settings, caller).flatMap((setting) => {
      const facts = factsAt(setting.path, String(market))
      return facts === undefined
        ? []
        : [{ ...asShown(setting), ...factsShown(setting.path, facts) }]
    }),
  }
}

/** Where it lies on this computer is for an admin of all. */
function fileFor(file: string | undefined, caller: Caller): string | null {
  if (file === undefined) return null
  return isOfAll(caller) ? file : basename(file)
}

function factsShown(path: string, facts: SettingFacts) {
  const parameter = PARAMETER_OF.get(path)
  return {
    section: facts.section,
    text_zh: facts.text.zh,
    text_en: facts.text.en,
    kind: facts.kind,
    unit_zh: facts.unit?.[0] ?? null,
    unit_en: facts.unit?.[1] ?? null,
    min: facts.min ?? null,
    max: facts.max ?? null,
    options: facts.options,
    default: facts.default ?? null,
    is_dead: facts.isDead,
    changed_by: changedBy(path, parameter),
    parameter: parameter ?? null,
  }
}

function changedBy(path: string, parameter: string | undefined): 'start' | 'config' | 'risk' {
  if (path.startsWith('risk.')) return 'risk'
  return parameter === undefined ? 'start' : 'config'
}

/** Path in the file → parameter of the API that changes it while the service runs. */
const PARAMETER_OF: ReadonlyMap<string, string> = new Map(
  Array.from(PARAMETERS.values()).flatMap(({ name, setting, row, offer }) =>
    offer.saved === 'never' ? [] : [[`strategy.${row.within?.constant ?? setting}`, name] as const],
  ),
)
