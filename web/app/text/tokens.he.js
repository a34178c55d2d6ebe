// הטקסטים של המפתחות לתוכנות אחרות, שרק מעטים פותחים.
export default {
    'tokens.lead': 'מפתח נותן לתוכנה אחרת שלך לקרוא ולשנות את הרשימות שלך, אבל לא את החשבון. אפשר להשבית כל מפתח בכל רגע.',
    'tokens.name': 'לאיזו תוכנה?', 'tokens.name.example': 'Thunderbird במחשב הנייד', 'tokens.name.hint': 'בפעילות יופיעו השינויים שלה בשם הזה.',
    'tokens.lists': 'מה המפתח פותח', 'tokens.lists.none': 'צריך לבחור לפחות רשימה אחת.', 'tokens.all': 'כל הרשימות', 'tokens.some': 'חלק מהרשימות',
    'tokens.opens': { one: '{names}', two: 'שתי רשימות: {names}', other: '{n} רשימות: {names}' }, 'tokens.readOnly': 'צפייה בלבד',
    'tokens.end': 'תוקף', 'tokens.end.never': 'עד להשבתה', 'tokens.end.days': { one: 'יום אחד', two: 'יומיים', other: '{n} יום' },
    'tokens.make': 'יצירת מפתח', 'tokens.made': 'המפתח עבור ”{name}”. הוא מוצג רק עכשיו: צריך להעתיק אותו לשם.', 'tokens.key': 'המפתח עבור {name}', 'tokens.copy': 'העתקת המפתח',
    'tokens.tasks': 'לאפליקציית משימות (CalDAV): הכתובת היא {address}, שם המשתמש {email}, והסיסמה היא המפתח הזה.',
    'tokens.used': 'שימוש אחרון: {time}', 'tokens.unused': 'עוד לא היה בשימוש', 'tokens.until': 'בתוקף עד {time}', 'tokens.over': 'התוקף נגמר: {time}',
    'tokens.revoke': 'השבתת המפתח עבור {name}', 'tokens.revoke.text': 'התוכנה שמשתמשת בו תיחסם מיד. מה שהיא כבר שינתה נשאר.', 'tokens.revoke.action': 'השבתה',
};
