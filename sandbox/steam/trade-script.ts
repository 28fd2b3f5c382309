/** The address under which the pages of trade offers load their script. */
export const tradeScriptPath = '/public/javascript/economy_tradeoffer.js';

/**
 * The script of the page of a trade offer, as far as readers of the page depend on it: it fills the slots from the
 * status, and "Change offer" turns the same page into a counter-offer without loading it anew. Names of functions and
 * elements are those of SteamDatabase/SteamTracking, economy_tradeoffer.js; a stack's id, which names neither game nor
 * context, is that of economy_trade.js (`GetTradeItemStack`). How slots look while inventories are read is not recorded;
 * here their items have no id yet.
 */
export const tradeScript = `'use strict';
const one = (selector) => document.querySelector(selector);
const show = (selector, isShown) => {
  const found = one(selector);
  if (found) found.style.display = isShown ? '' : 'none';
};
const $J = (run) => setTimeout(run, 0);
var UserYou = { SetSteamId(id) { this.strSteamId = id; }, SetProfileURL() {} };
var UserThem = { SetSteamId(id) { this.strSteamId = id; }, SetProfileURL() {} };

function fillSlots(box, assets, isLoaded) {
  const slots = assets.map(({ appid, contextid, assetid, amount }) => {
    const holder = document.createElement('div');
    holder.className = 'itemHolder trade_slot has_item';
    const inner = document.createElement('div');
    inner.className = 'slot_inner';
    const item = document.createElement('div');
    item.className = 'item app' + appid + ' context' + contextid;
    const isStack = Number(amount) > 1;
    if (isLoaded) item.id = isStack ? 'tradestack_' + assetid : 'item' + appid + '_' + contextid + '_' + assetid;
    inner.append(item);
    holder.append(inner);
    return holder;
  });
  const empty = document.createElement('div');
  empty.className = 'itemHolder trade_slot';
  box.replaceChildren(...slots, empty);
}

function RefreshTradeStatus({ me, them }, isLoaded = true) {
  fillSlots(one('#your_slots'), me.assets, isLoaded);
  fillSlots(one('#their_slots'), them.assets, isLoaded);
}

function BeginTradeOffer() {
  show('#tradeoffer_addmessage', false);
  RefreshTradeStatus(g_rgCurrentTradeStatus, false);
  setTimeout(() => RefreshTradeStatus(g_rgCurrentTradeStatus), 20);
}

function StartCounterOffer() {
  show('#modify_trade_offer_opts', false);
  show('#btn_decline_trade_offer', false);
  show('#tradeoffer_includedmessage', false);
  show('#tradeoffer_addmessage', true);
  one('.trade_area').classList.remove('readonly');
}

/** Takes an item into the offer, or out of it, as a double click on it does. */
function MoveItemToTrade(side, asset) {
  const { assets } = g_rgCurrentTradeStatus[side];
  const place = assets.findIndex(({ appid, assetid }) => appid == asset.appid && assetid === asset.assetid);
  if (place < 0) assets.push(asset);
  else assets.splice(place, 1);
  g_rgCurrentTradeStatus.version += 1;
  RefreshTradeStatus(g_rgCurrentTradeStatus);
}

async function answerOffer(act, id) {
  const body = new URLSearchParams({ sessionid: g_sessionID, serverid: '1', tradeofferid: id });
  const answer = await fetch('/tradeoffer/' + id + '/' + act, { method: 'POST', body });
  const { tradeid } = answer.ok ? await answer.json() : {};
  if (tradeid) location = '/trade/' + tradeid + '/receipt';
  else location.reload();
}
`;
