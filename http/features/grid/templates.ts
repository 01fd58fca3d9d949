import { z } from 'zod'
import type { DirectContext } from '../../direct/context.ts'
import { ignoredIn } from '../../message/ignored.ts'
import type { Route } from '../../message/routes.ts'
import { askGrid, commandGrid } from './context.ts'
import * as answers from './template-answers.ts'

const decimal = z.number().nullish()
const name = z.string().min(1).max(200)
const nameParams = z.object({ name })
/** What stands for another address where the name of a template belongs, or for none. */
const OTHER_ADDRESSES: ReadonlySet<string> = new Set(['default', 'save', 'use', '.', '..'])
/** Under it the template is read and deleted; half of a character would be another name once it is kept. */
const newName = z
  .string()
  .max(200)
  .refine((text) => text.isWellFormed(), {
    error: '含有残缺的字符 (has half of a character)',
    abort: true,
  })
  .refine((text) => !OTHER_ADDRESSES.has(text.trim()), {
    error: '此名称是接口自己的地址，请换一个 (is an address of the interface; choose another name)',
  })
const saveBody = z
  .object({
    template_name: newName,
    price_interval: decimal,
    position_ratio: decimal,
    callback_ratio: decimal,
    max_deviation: decimal,
    target_profit: decimal,
    stop_loss: decimal,
    duration_days: decimal,
    max_investment_ratio: decimal,
    description: z.string().max(1_000).nullish(),
    is_default: z.boolean().nullish(),
  })
  .meta({
    examples: [
      { template_name: 'mine', price_interval: 0.05, position_ratio: 0.25, is_default: false },
    ],
  })

/** Templates of grids, and what a start begins with. */
export const gridTemplateRoutes = (context: DirectContext): Route[] => [
  context.account.route({
    method: 'GET',
    path: '/grid/config',
    scope: 'view',
    summary: '网格默认参数 (defaults of a start)',
    answer: answers.defaults,
    handle: ({ request }) => askGrid(context, request, { about: 'defaults' }),
  }),
  context.account.route({
    method: 'GET',
    path: '/grid/templates',
    scope: 'view',
    summary: '网格模板列表 (templates)',
    answer: answers.templates,
    handle: ({ request }) => askGrid(context, request, { about: 'templates' }),
  }),
  context.account.route({
    method: 'GET',
    path: '/grid/risk-templates',
    scope: 'view',
    summary: '三档风险模板 (templates of the risk levels)',
    answer: answers.riskTemplates,
    handle: ({ request }) => askGrid(context, request, { about: 'riskTemplates' }),
  }),
  context.account.route({
    method: 'GET',
    path: '/grid/template/default',
    scope: 'view',
    summary: '默认网格模板 (the default template)',
    answer: answers.anyTemplate,
    handle: ({ request }) => askGrid(context, request, { about: 'defaultTemplate' }),
  }),
  context.account.route({
    method: 'GET',
    path: '/grid/template/{name}',
    scope: 'view',
    summary: '网格模板详情 (one template)',
    answer: answers.oneTemplate,
    params: nameParams,
    handle: ({ request, params }) =>
      askGrid(context, request, { about: 'template', name: params.name }),
  }),
  ...changeRoutes(context),
]

const changeRoutes = (context: DirectContext): Route[] => [
  context.account.route({
    method: 'POST',
    path: '/grid/template/save',
    scope: 'trade',
    summary: '保存网格模板，同名则更新 (save a template)',
    answer: answers.savedTemplate,
    body: saveBody,
    handle: ({ request, body: template }, { body: sent }) =>
      commandGrid(
        context,
        request,
        { kind: 'gridTemplateSave', template },
        { ignored: ignoredIn(sent, saveBody) },
      ),
  }),
  context.account.route({
    method: 'POST',
    path: '/grid/template/use',
    scope: 'trade',
    summary: '使用网格模板 (use a template)',
    answer: answers.usedTemplate,
    body: z.object({ template_name: name }),
    handle: ({ request, body }) =>
      commandGrid(context, request, { kind: 'gridTemplateUse', name: body.template_name }),
  }),
  context.account.route({
    method: 'DELETE',
    path: '/grid/template/{name}',
    scope: 'trade',
    summary: '删除网格模板 (delete a template)',
    answer: answers.messageOnly,
    params: nameParams,
    handle: ({ request, params }) =>
      commandGrid(context, request, { kind: 'gridTemplateDelete', name: params.name }),
  }),
  context.account.route({
    method: 'PUT',
    path: '/grid/template/{name}/default',
    scope: 'trade',
    summary: '设为默认网格模板 (make it the default)',
    answer: answers.messageOnly,
    params: nameParams,
    handle: ({ request, params }) =>
      commandGrid(context, request, { kind: 'gridTemplateDefault', name: params.name }),
  }),
]
