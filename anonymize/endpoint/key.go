package endpoint

import "bytes"

// maxKey is the longest query key that can be a name, in bytes.
const maxKey = 40

// fixedKeys are keys of queries everywhere, in lower case. They name no one, so they stay in any log.
var fixedKeys = wordSet(`
	_ a access_token action after age ajax alt amount and api_key api_version api-version app area asc attr author auth authorization b
	back before begin brand bust c callback campaign cart cat category category_id cb channel city client client_id code color
	colour columns comment company confirm continue count country coupon culture currency currentpage cursor d data date day
	dest destination debug desc device dir direction doing_wp_cron download e email embed end endpoint error event expand
	expires export f fbclid feed field fields file filename filter filters flag flav flavor fmt fields[] format from g gclid geo
	goto group group_id guid h hash height hl host hour i id ids ids[] img include index ip item item_id items jsessionid json k key keys
	keyword keywords kind l label lang language last lat latitude level limit link list lng locale location lon longitude m mail
	max max_price md5 medium message min min_price mobile mode month msg n name next next_page no nocache node nonce o
	object offset op option order order_by order_id orderby ordering origin output p page page_id page_index page_no page_num page_size
	pageid pageindex pageno pagenum pagesize paged param parent parent_id password path per_page period perpage phone phpsessid
	platform post post_id postcode preview prev price product product_id productid products project provider q qty quality
	quantity query r radius random range rank rating redirect redirect_uri ref referer referrer refresh region replytocom
	request response_type return returnurl return_url rev role rows s sc scope score search search_query section secret
	select session session_id sessionid shop sid sig sign signature since site size sku skip slug sort sort_by sort_dir sort_order sortby source
	src start start_date end_date state status step store style sub subject t tab table tag tags target task term text theme ticket time
	timestamp title to token top topic track ts type u uid unit until update url user user_id userid username utm_campaign utm_content
	utm_medium utm_source utm_term uuid v val value variant ver version view w web where width word x y year z zip zoom`)

// isFixedKey compares without case.
func isFixedKey(key []byte) bool {
	var buf [maxKey]byte
	if len(key) > len(buf) {
		return false
	}
	for i, c := range key {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buf[i] = c
	}
	return fixedKeys[string(buf[:len(key)])]
}

// isKeyName tells whether a decoded query key is a name rather than a value: letters first, then letters, a few
// digits, and the signs that frameworks use.
func isKeyName(key []byte) bool {
	if len(key) == 0 || len(key) > maxKey {
		return false
	}
	letters, digits := 0, 0
	for _, c := range key {
		switch k := kindOf[c]; {
		case k >= kHexLower && k <= kUpper:
			letters++
		case k == kDigit:
			digits++
		case c == '_' || c == '-' || c == '.' || c == '[' || c == ']' || c == '$' || c == ':':
		default:
			return false
		}
	}
	if letters == 0 || digits > 3 || kindOf[key[0]] == kDigit {
		return false
	}
	switch Classify(bytes.TrimRight(key, "[]")) {
	case Word, PrefixInt:
		return true
	case Token: // brackets, dollar and colon are no bytes of a route word
		return digits <= 1 && bytes.ContainsAny(key, "[]$:")
	}
	return false
}

// KeepsKey reports whether a decoded query key is vocabulary: one of a fixed public list, one that enough distinct
// clients used, or one of the file that was given. It never allocates.
func (s *Set) KeepsKey(key []byte) bool { return s.keys[string(key)] || isFixedKey(key) }
