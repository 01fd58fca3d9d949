import { extendTexts } from './texts.ts'

const fillsTexts = {
  'trades.from': ['起', 'From'],
  'trades.to': ['止', 'To'],
  'trades.keyword': ['代码、名称或备注', 'Code, name or note'],
  'trades.side': ['方向', 'Side'],
  'trades.strategy': ['来源', 'Source'],
  'trades.sum': [
    '买入 {buy}，卖出 {sell}，净额 {net}，费用 {fees}',
    'Bought {buy}, sold {sell}, net {net}, fees {fees}',
  ],
  'trades.sum.simulated': ['模拟：', 'Simulated:'],
  'trades.sum.tooMany': [
    '记录太多，合计未知：请缩短日期。',
    'Too many records, the sums are not known: choose fewer days.',
  ],
  'trades.count': ['共 {all} 笔', '{all} in all'],
  'trades.count.part': ['已载入 {shown} 笔，共 {all} 笔', '{shown} loaded of {all}'],
  'trades.span': ['日期', 'Days'],
  'trades.more': ['更早的成交', 'Older trades'],
  'trades.loadedMax': [
    '最多显示 {n} 笔：请缩短日期或加筛选条件。',
    'At most {n} are shown: choose fewer days, or filter.',
  ],
  'trades.noHit': ['没有匹配的成交', 'No trade matches'],
  'trades.noHit.how': ['换一个日期或筛选条件。', 'Change the days or the filter.'],
} as const

/** The translator of the trades, on both pages. */
export const t = extendTexts(fillsTexts)
