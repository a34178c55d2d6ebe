// An item's details, shops, and shopping several lists as one.
export default {
    'item.text': 'פריט', 'item.quantity': 'כמות', 'item.quantity.example': '2 × 500 גרם', 'item.minus': 'פחות', 'item.plus': 'יותר', 'item.note': 'הערה',
    'item.aisle': 'מחלקה', 'item.aisle.example': 'מוצרי חלב', 'item.place': 'מקום ברשימה', 'item.history': 'היסטוריה', 'item.gone': 'הפריט הזה נמחק על ידי {name}.',
    'item.again': 'החזרה לרשימה', 'item.both': 'שינוי משני הצדדים', 'item.both.theirs': 'בינתיים כתוב כאן ”{theirs}” ({name}).',
    'item.both.removed': 'בינתיים התוכן כאן נמחק ({name}).', 'item.both.take': 'לקבל את השינוי', 'item.historyOf': 'ההיסטוריה של {text}', 'item.every': 'לקנות שוב',
    'every.never': 'כשמישהו רוצה', 'every.days': { one: 'כל יום', two: 'כל יומיים', other: 'כל {n} ימים' },
    'every.weeks': { one: 'כל שבוע', two: 'כל שבועיים', other: 'כל {n} שבועות' },
    'shops.where': 'איפה קונים?', 'shops.at': 'קנייה ב־{shop}', 'shops.any': 'כל החנויות', 'shops.edit': 'עריכת החנויות', 'shops.title': 'חנויות',
    'shops.hint': 'לחנות יכול להיות סדר מחלקות משלה. אפשר להקיש על פריט כדי לציין שהוא נקנה רק בחנות אחת. כל זה חל על כל מי שברשימה.',
    'shops.add': 'הוספת חנות', 'shops.name': 'שם', 'shops.example': 'מכולת', 'shops.only': { one: 'פריט אחד נקנה רק שם', two: 'שני פריטים נקנים רק שם', other: '{n} פריטים נקנים רק שם' },
    'shops.order': 'סדר המחלקות ב־{shop}', 'shops.order.hint': 'לפי הסדר שבו עוברים בחנות הזאת.', 'shops.remove': 'הסרת {shop}', 'shops.removed': '”{shop}” הוסרה.',
    'together.title': 'קנייה מכמה רשימות', 'together.hint': 'בוחרים את הרשימות. מה שנמצא בכמה מהן מופיע בשורה אחת, ומסומן בכל אחת מהן.',
    'together.begin': 'קנייה משותפת', 'together.news': { one: 'הצגת פריט חדש אחד', two: 'הצגת שני פריטים חדשים', other: 'הצגת {n} פריטים חדשים' },
    'item.shop': 'חנות', 'item.shop.any': 'בכל מקום', 'activity.shop': '{name}: שינוי בחנות ”{shop}”', 'activity.shop.gone': '{name}: הסרת החנות ”{shop}”',
};
