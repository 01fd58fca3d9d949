import * as answers from '../answers/account.ts'
import { timestampOf } from '../context.ts'
import { PARAMETER_RANGES } from '../direct/parameters.ts'
import { json } from '../reply.ts'
import { type Route, route } from '../routes.ts'
import { chosenAccount, type GatewayContext } from './context.ts'

/**
 * The gateway holds no parameters of its own and shows the fixed defaults. The two switches that only
 * a running process knows have no default: they are unknown.
 */
const FIXED_CONFIG = {
  singleBuyAmount: 35_000,
  firstProfitSell: 6,
  firstProfitSellEnabled: true,
  stockGainSellPencent: 60,
  allowBuy: true,
  allowSell: true,
  stopLossBuy: 7,
  stopLossBuyEnabled: true,
  stockStopLoss: 7.5,
  StopLossEnabled: true,
  singleStockMaxPosition: 70_000,
  totalMaxPosition: 950_000,
  connectPort: 5_000,
  totalAccounts: '127.0.0.1',
  globalAutoOperation: null,
  globalAllowBuySell: false,
  globalAllowGridTrading: true,
  pauseGridAfterTakeProfitFull: true,
  simulationMode: null,
} as const

/** Parameters under the address of direct mode. */
export const fixedConfig = (context: GatewayContext): Route[] => [
  route({
    method: 'GET',
    path: '/api/config',
    scope: 'view',
    summary: '固定的默认参数，只读 (the fixed defaults, read-only)',
    answer: answers.config,
    handle: ({ request }) => {
      chosenAccount(context, request) // an unknown account has no configuration, not even a fixed one
      return json(200, {
        status: 'success',
        data: FIXED_CONFIG,
        ranges: PARAMETER_RANGES,
        timestamp: timestampOf(context),
      })
    },
  }),
]
