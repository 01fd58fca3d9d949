import { watchEffect } from 'vue'
import { createI18n } from 'vue-i18n'
import { alertTexts } from './alert-texts.ts'
import { prefs } from './prefs.ts'
import { standingTexts } from './standing-texts.ts'

/** Texts that both pages show. */
const common = {
  ...standingTexts,
  ...alertTexts,
  'word.on': ['开', 'On'],
  'word.off': ['关', 'Off'],
  'word.unknown': ['未知', 'Unknown'],
  'word.yes': ['是', 'Yes'],
  'word.no': ['否', 'No'],
  'word.all': ['全部', 'All'],
  'word.loading': ['读取中', 'Loading'],
  'word.retry': ['重试', 'Try again'],
  'word.close': ['关闭', 'Close'],
  'word.cancel': ['取消', 'Cancel'],
  'word.confirm': ['确认', 'Confirm'],
  'word.save': ['保存', 'Save'],
  'word.copied': ['已复制', 'Copied'],
  'word.more': ['更多', 'More'],
  'side.buy': ['买入', 'Buy'],
  'side.sell': ['卖出', 'Sell'],
  'side.letter.buy': ['买', 'B'],
  'side.letter.sell': ['卖', 'S'],

  'missed.what': ['这一部分未能载入', 'This part could not be loaded'],
  'missed.how': [
    '服务可能已更新到另一个版本；重新载入页面即可，未保存的输入会丢失',
    'The service may be of another release by now. Load the page again; what is not saved gets lost',
  ],
  'missed.reload': ['重新载入', 'Load again'],

  'app.skip': ['跳到内容', 'Skip to content'],
  'app.navigation': ['导航', 'Navigation'],
  'app.account': ['账户', 'Account'],
  'app.preferences': ['显示设置', 'Display'],
  'app.footer': ['Steward {release}', 'Steward {release}'],

  'prefs.language': ['语言', 'Language'],
  'prefs.theme': ['主题', 'Theme'],
  'prefs.theme.auto': ['随系统', 'System'],
  'prefs.theme.light': ['浅色', 'Light'],
  'prefs.theme.dark': ['深色', 'Dark'],
  'prefs.colours': ['涨跌颜色', 'Colours'],
  'prefs.colours.red': ['红涨绿跌', 'Red up, green down'],
  'prefs.colours.green': ['绿涨红跌', 'Green up, red down'],
  'prefs.unit': ['金额单位', 'Amounts in'],
  'prefs.unit.yuan': ['元', 'yuan'],
  'prefs.unit.wan': ['万元', '10k yuan'],
  'prefs.unit.yi': ['亿元', '100m yuan'],
  'amount.wan': ['{figure}万', '{figure} ×10k'],
  'amount.yi': ['{figure}亿', '{figure} ×100m'],

  'prefs.rows': ['表格行距', 'Table rows'],
  'prefs.rows.wide': ['宽松', 'Comfortable'],
  'prefs.rows.dense': ['紧凑', 'Dense'],

  'table.view': ['列与排序', 'Columns and order'],
  'table.columns': ['显示的列', 'Columns shown'],
  'table.sort': ['排序', 'Order'],
  'table.sort.none': ['默认', 'As it comes'],
  'table.sort.ascending': ['升序', 'Ascending'],
  'table.sort.descending': ['降序', 'Descending'],
  'table.unprinted': [
    '只打印前 {n} 行，共 {all} 行',
    'Only the first {n} of {all} rows are printed',
  ],

  'fresh.fresh': ['最新', 'Live'],
  'fresh.stale': ['延迟', 'Stale'],
  'fresh.lost': ['失联', 'Lost'],
  'fresh.never': ['尚无数据', 'No data yet'],
  'fresh.since': ['{age} 前更新', 'updated {age} ago'],

  'place.running': ['节点 {node}', 'Node {node}'],
  'place.owner_silent': ['节点 {node} 没有消息', 'Node {node} is silent'],
  'place.taking_over': ['正在接管', 'Being taken over'],
  'place.no_owner': ['无人运行', 'Run by nobody'],
  'place.unknown': ['运行节点未知 ?', 'Node unknown ?'],
  'connection.up': ['已连接', 'Connected'],
  'connection.down': ['未连接', 'Disconnected'],
  'connection.unknown': ['连接未知', 'Connection unknown'],
  'connection.next': [
    '等待交易客户端，{at} 再试（已失败 {n} 次）',
    'Waiting for the trading client, next attempt {at} ({n} failed)',
  ],
  'connection.connecting': ['正在连接', 'Connecting'],
  'connection.reconnecting': ['重连中（第 {n} 次）', 'Reconnecting (attempt {n})'],

  'mode.live': ['实盘', 'LIVE'],
  'mode.live.more': ['真实资金，委托会发往券商', 'Real money: orders go to the broker'],
  'mode.simulation': ['模拟', 'SIMULATION'],
  'mode.simulation.more': [
    '只记在内存里，不发往交易客户端',
    'Kept in memory, nothing is sent to the trading client',
  ],
  'mode.paper': ['内置柜台', 'PAPER'],
  'mode.paper.more': ['内置模拟交易客户端，没有真实资金', 'Embedded trading client, no real money'],
  'mode.unknown': ['模式未知', 'MODE UNKNOWN'],
  'mode.unknown.more': [
    '无法得知是否实盘，请按实盘对待',
    'Treat this account as live until it is known',
  ],

  'fault.connection': ['连接不上服务', 'The service cannot be reached'],
  'fault.connection.mend': [
    '检查服务是否在运行、地址是否正确；页面会自动重试。',
    'Check that the service runs and the address is right. This page keeps trying.',
  ],
  'fault.notJson': [
    '收到的不是本服务的应答（可能是代理的错误页）',
    'The answer is not from this service (perhaps an error page of a proxy)',
  ],
  'fault.token': ['令牌缺失或不正确', 'The token is missing or wrong'],
  'fault.token.mend': ['输入正确的 X-API-Token。', 'Enter the right X-API-Token.'],
  'fault.busy': ['账户正在重启或服务繁忙', 'The account is restarting or the service is busy'],
  'fault.busy.mend': [
    '稍候会自动恢复，未发出的操作请再点一次。',
    'It comes back by itself; repeat an action that was not taken.',
  ],
  'fault.late': ['服务没有及时答复', 'The service did not answer in time'],
  'fault.late.mend': ['页面会自动重试。', 'This page keeps trying.'],
  'fault.unheard': ['没有收到服务的应答', 'No answer came from the service'],
  'fault.unheard.mend': [
    '可能已经执行，也可能没有，页面不会自动重发：先查询结果，再决定是否重做。',
    'It may be done or not, and this page does not send it again: look what became of it before you do it again.',
  ],
  'fault.refused.mend': ['按提示修改后再试。', 'Mend what the message says, then try again.'],
  'fault.byHand': ['浏览器不让复制，请选中：', 'The browser does not let it be copied. Select:'],
  'fault.request': ['请求号 {id}', 'Request {id}'],

  'token.title': ['输入访问令牌', 'Enter the access token'],
  'token.label': ['令牌（X-API-Token）', 'Token (X-API-Token)'],
  'token.why': [
    '服务设有令牌。令牌只保存在本浏览器，并随每个请求发送。',
    'The service asks for a token. It stays in this browser and goes with every request.',
  ],
  'token.wrong': ['服务不接受这个令牌', 'The service does not accept this token'],
  'token.enter': ['进入', 'Enter'],

  'asset.total': ['总资产', 'Total assets'],
  'asset.cash': ['可用资金', 'Available cash'],
  'asset.frozen': ['冻结', 'frozen'],
  'asset.frozenCash': ['冻结资金', 'Frozen cash'],
  'asset.old': [
    '交易客户端已断开：资金和持仓截至 {time}。',
    'The trading client is gone: cash and holdings are those of {time}.',
  ],
  'asset.market': ['持仓市值', 'Market value'],
  'asset.profit': ['持仓盈亏', 'Position P&L'],

  'sum.unpriced': ['{all} 只中 {n} 只没有价格', '{n} of {all} without a price'],
  'sum.withoutUncosted': [
    '不含 {n} 只成本未知的持仓',
    'without {n} holdings whose cost nobody has told',
  ],
  'sum.uncosted': [
    '{all} 只中 {n} 只成本未知，盈亏不含它们',
    'profit without {n} of {all} whose cost nobody has told',
  ],
  'sum.known': ['{all} 个账户中 {known} 个已知', '{known} of {all} accounts known'],
  'sum.simulated': ['不含 {n} 个模拟账户', 'without {n} simulated accounts'],
  'sum.allSimulated': ['模拟资金', 'simulated money'],
  'sum.old': ['{n} 个账户的交易客户端已断开，按断开前计', '{n} as before the client was lost'],
  'sum.unconnected': ['{n} 个未知', '{n} not known'],

  'stock.code': ['代码', 'Code'],
  'stock.name': ['名称', 'Name'],
  'stock.stock': ['股票', 'Stock'],
  'position.change': ['涨幅', 'Change'],
  'position.price': ['现价', 'Price'],
  'position.cost': ['成本', 'Cost'],
  'position.profitRatio': ['盈亏%', 'P&L %'],
  'position.profit': ['盈亏', 'P&L'],
  'position.value': ['市值', 'Value'],
  'position.available': ['可卖', 'Sellable'],
  'position.volume': ['持仓', 'Held'],
  'position.triggered': ['首次止盈', 'First TP'],
  'position.triggered.yes': ['已触发', 'Done'],
  'position.triggered.no': ['未触发', 'Waiting'],
  'position.highest': ['最高价', 'High'],
  'position.stop': ['止损价', 'Stop at'],
  'position.distance': ['距止损', 'To stop'],
  'position.openDate': ['建仓', 'Opened'],
  'position.base': ['基准成本', 'Base cost'],
  'position.stopProfit': ['自动止盈止损', 'Auto exit'],
  'position.grid': ['网格', 'Grid'],
  'position.grid.active': ['运行', 'Running'],
  'position.none': ['没有持仓', 'No positions'],
  'position.unknown': ['持仓未知', 'Holdings not known'],
  'report.none': ['交易客户端还没有报告。', 'The trading client has not reported yet.'],
  'position.noted': [
    '交易客户端还没有报告：以下是上次记下的持仓。',
    'The trading client has not reported yet: these holdings are as they were noted last.',
  ],

  'order.time': ['时间', 'Time'],
  'order.side': ['方向', 'Side'],
  'order.price': ['委托价', 'Price'],
  'order.volume': ['委托量', 'Volume'],
  'order.traded': ['成交量', 'Filled'],
  'order.status': ['状态', 'Status'],
  'order.strategy': ['来源', 'Source'],
  'order.id': ['委托号', 'Order no.'],
  'order.amend.canceling': ['改单中：{price} × {volume}', 'Being changed: {volume} at {price}'],
  'order.amend.sent': [
    '已改为新委托：{price} × {volume}',
    'Changed into a new order: {volume} at {price}',
  ],
  'order.amend.dropped': ['改单未成：{why}', 'Not changed: {why}'],
  'order.message': ['柜台消息', 'Broker message'],
  'order.market': ['市价', 'Market'],
  'price.5': ['最新价', 'Latest'],
  'price.42': ['五档即成剩撤', 'Best five or cancel'],
  'price.43': ['五档即成转限价', 'Best five, rest limit'],
  'price.44': ['对手方最优', 'Best of the other side'],
  'price.45': ['本方最优', 'Best of own side'],
  'price.46': ['即成剩撤', 'At once, rest canceled'],
  'price.47': ['五档即成剩撤', 'Best five or cancel'],
  'price.48': ['全额成交或撤', 'All or nothing'],
  'order.none': ['今天没有委托', 'No orders today'],
  'order.unknown': ['当日委托未知', "Today's orders not known"],
  'trade.price': ['成交价', 'Price'],
  'trade.volume': ['数量', 'Volume'],
  'trade.amount': ['金额', 'Amount'],
  'trade.commission': ['费用', 'Fees'],
  'trade.id': ['成交号', 'Deal no.'],
  'trade.note': ['备注', 'Note'],
  'trade.none': ['没有成交记录', 'No trade records'],
  'status.48': ['未报', 'Not reported'],
  'status.49': ['待报', 'To report'],
  'status.50': ['已报', 'Reported'],
  'status.51': ['已报待撤', 'Cancel requested'],
  'status.52': ['部成待撤', 'Part filled, cancel requested'],
  'status.53': ['部撤', 'Part canceled'],
  'status.54': ['已撤', 'Canceled'],
  'status.55': ['部成', 'Part filled'],
  'status.56': ['已成', 'Filled'],
  'status.57': ['废单', 'Rejected'],
  'status.unknown': ['结果未知', 'In doubt'],
  'state.submitted': ['已发出', 'Sent'],
  'state.inDoubt': ['结果未知', 'In doubt'],
  'state.accepted': ['已报', 'Reported'],
  'state.partiallyFilled': ['部成', 'Part filled'],
  'state.pendingCancel': ['已报待撤', 'Cancel requested'],
  'state.filled': ['已成', 'Filled'],
  'state.canceled': ['已撤', 'Canceled'],
  'state.rejected': ['废单', 'Rejected'],
  'state.denied': ['未发出', 'Denied'],
  'state.expired': ['已过期', 'Expired'],

  'label.simu': ['模拟', 'Simulated'],
  'label.auto_partial': ['首次止盈', 'First take-profit'],
  'label.auto_full': ['止盈', 'Take-profit'],
  'label.stop_loss': ['止损', 'Stop-loss'],
  'label.grid': ['网格', 'Grid'],
  'label.manual': ['手动', 'Manual'],
  'label.M_real': ['手动买入', 'Manual buy'],
  'label.M_simu': ['模拟买入', 'Simulated buy'],
  'label.manual_real': ['手动卖出', 'Manual sell'],
  'label.manual_simu': ['模拟卖出', 'Simulated sell'],
  'label.external': ['外部', 'External'],
  'label.default': ['默认', 'Default'],
  'label.add_position': ['补仓', 'Added'],
  'label.reorder_stop_loss': ['重报止损', 'Stop-loss again'],
  'label.reorder_take_profit_half': ['重报首次止盈', 'First take-profit again'],
  'label.reorder_take_profit_full': ['重报止盈', 'Take-profit again'],

  'gate.master': ['总开关', 'Master switch'],
  'gate.stopProfit': ['自动止盈止损', 'Auto stop-profit'],
  'gate.grid': ['自动网格', 'Auto grid'],
  'gate.perStock': ['个股开关', 'Per stock'],
  'gate.perSession': ['网格会话', 'Per session'],
  'gate.allowBuy': ['允许买入', 'Buying allowed'],
  'gate.allowSell': ['允许卖出', 'Selling allowed'],

  'stop.deviation': ['偏离超限', 'Deviation'],
  'stop.target_profit': ['达到目标收益', 'Target profit'],
  'stop.stop_loss': ['达到止损', 'Stop-loss'],
  'stop.expired': ['到期', 'Expired'],
  'stop.position_cleared': ['持仓已清空', 'Position cleared'],
  'stop.manual': ['手动停止', 'By hand'],
  'stop.manual_stop': ['手动停止', 'By hand'],

  'period.1d': ['日', 'Day'],
  'period.60m': ['60 分', '60 min'],
  'period.30m': ['30 分', '30 min'],
  'period.15m': ['15 分', '15 min'],
  'period.5m': ['5 分', '5 min'],
  'period.1m': ['1 分', '1 min'],

  'grid.none': ['没有网格会话', 'No grid sessions'],
  'grid.status.active': ['运行', 'Active'],
  'grid.status.paused': ['暂停', 'Paused'],
  'grid.status.stopping': ['停止中', 'Stopping'],
  'grid.status.stopped': ['已停止', 'Stopped'],
  'grid.status.completed': ['已完成', 'Completed'],
  'grid.center': ['当前中心', 'Centre now'],
  'grid.centerFirst': ['初始中心', 'First centre'],
  'grid.trades': ['成交（买/卖）', 'Trades (B/S)'],
  'grid.pnl': ['网格盈亏（扣费后）', 'Grid P&L after fees'],
  'grid.pnl.more': [
    '未扣费用 {gross}（{ratio}），费用 {fees}',
    'before fees {gross} ({ratio}), fees {fees}',
  ],
  'grid.realized': ['已实现（未扣费）', 'Realized before fees'],
  'grid.unrealized': ['浮动', 'Unrealized'],
  'grid.funds': ['资金使用', 'Funds used'],
  'grid.degraded': ['估算', 'Estimate'],
  'grid.degraded.more': [
    '台账不可用，用替代算法估算',
    'The ledger is not available; a fallback estimate is shown',
  ],
  'grid.next.buy.level': ['跌到 {at} 后回升', 'on the turn after {at}'],
  'grid.next.buy.callback': ['升到 {at}', 'at {at} or above'],
  'grid.next.sell.level': ['涨到 {at} 后回落', 'on the turn after {at}'],
  'grid.next.sell.callback': ['跌到 {at}', 'at {at} or below'],
  'grid.next.shares': ['{n} 股', '{n} shares'],
  'grid.next.distance': ['距现价 {by}', '{by} away'],
  'grid.next.blocked': ['暂不可：{why}', 'not now: {why}'],
  'grid.started': ['开始', 'Started'],
  'grid.ends': ['到期', 'Ends'],
  'grid.reason': ['停止原因', 'Why stopped'],
} as const

/** One text in both languages, Chinese first. */
export type Pair = readonly [zh: string, en: string]
export type Texts = Readonly<Record<string, Pair>>
export type CommonKey = keyof typeof common
/** What fills the `{name}` of a text. */
type Values = Record<string, unknown>

const pick = (texts: Texts, index: 0 | 1): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, pair]) => [key, pair[index]]))

/** To be installed in the app; holds the texts that both pages share. */
export const i18n = createI18n({
  legacy: false,
  // Keys are whole names: `gate.grid` and `gate.grid.on` live side by side.
  messageResolver: (texts, key) => (texts as Record<string, string>)[key] ?? null,
  locale: prefs.language,
  fallbackLocale: 'zh-CN',
  messages: { 'zh-CN': pick(common, 0), en: pick(common, 1) },
})
watchEffect(() => {
  i18n.global.locale.value = prefs.language
})

/** The text of a key in the reader's language. */
export const t = (key: CommonKey, values: Values = {}): string => i18n.global.t(key, values)

/** The text of a key that is put together at run time; `otherwise` when there is none. */
export const tMaybe = (key: string, otherwise: string): string =>
  i18n.global.te(key) ? i18n.global.t(key) : otherwise

/** Adds the texts of one page and returns its translator, which knows both. */
export function extendTexts<T extends Texts>(texts: T) {
  i18n.global.mergeLocaleMessage('zh-CN', pick(texts, 0))
  i18n.global.mergeLocaleMessage('en', pick(texts, 1))
  return (key: CommonKey | (keyof T & string), values: Values = {}): string =>
    i18n.global.t(key, values)
}
