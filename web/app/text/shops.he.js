// Shops, and shopping several lists as one.
export default {
    'shops.where': 'איפה קונים?', 'shops.at': 'קנייה ב־{shop}', 'shops.any': 'כל החנויות', 'shops.edit': 'עריכת החנויות', 'shops.title': 'חנויות',
    'shops.hint': 'לחנות יכול להיות סדר מחלקות משלה. אפשר להקיש על פריט כדי לציין שהוא נקנה רק בחנות אחת. כל זה חל על כל מי שברשימה.',
    'shops.add': 'הוספת חנות', 'shops.name': 'שם', 'shops.example': 'מכולת', 'shops.only': { one: 'פריט אחד נקנה רק שם', two: 'שני פריטים נקנים רק שם', other: '{n} פריטים נקנים רק שם' },
    'shops.order': 'סדר המחלקות ב־{shop}', 'shops.order.hint': 'לפי הסדר שבו עוברים בחנות הזאת.', 'shops.remove': 'הסרת {shop}', 'shops.removed': '”{shop}” הוסרה.',
    'together.title': 'קנייה מכמה רשימות', 'together.hint': 'בוחרים את הרשימות. מה שנמצא בכמה מהן מופיע בשורה אחת, ומסומן בכל אחת מהן.',
    'together.begin': 'קנייה משותפת', 'together.news': { one: 'הצגת פריט חדש אחד', two: 'הצגת שני פריטים חדשים', other: 'הצגת {n} פריטים חדשים' },
    'item.shop': 'חנות', 'item.shop.any': 'בכל מקום', 'activity.shop': '{name}: שינוי בחנות ”{shop}”', 'activity.shop.gone': '{name}: הסרת החנות ”{shop}”',
};
